import { mock } from 'node:test';
import { expect } from 'chai';
import { openServices } from '#shared/process/worker/open-process-services.ts';
import { OpenResources } from '#shared/process/worker/open-resources.ts';
import { generateRsaKeyPair } from '#shared/state/keys/key-pair.ts';
import { countLooks } from '#test/support/open-looks.ts';
import { silentLogger } from '#test/support/silent-logger.ts';
import { verifies } from '#test/support/verifies.ts';

describe('services that failed to open', () => {
  afterEach(() => mock.restoreAll());

  verifies(['API-14', 'API-15'], 'leave nothing open, not even the certificate watcher', async () => {
    const openPolls = countLooks();
    const givenUp = new AbortController();
    const reason = new Error('the test is over');
    const opening = openServices({
      start: { given: { settings: 'server: {tls: auto}\n', users: 'users: {}\n' }, runBeforeLoadHook: false },
      log: silentLogger(),
      servesPublicPort: true,
      keysInMemory: true,
      givenUp: givenUp.signal,
      drawKeyPair: () => {
        givenUp.abort(reason);
        return generateRsaKeyPair();
      },
    });
    const refused: unknown = await opening.catch((error: unknown) => error);
    expect(refused).to.equal(reason);
    expect(openPolls.size).to.equal(0);
  });

  it('are closed in reverse order, each once, even if closing another one fails', async () => {
    const closed: unknown[] = [];
    const open = new OpenResources();
    open.add((millisecondsLeft) => closed.push(`store ${millisecondsLeft}`));
    open.add(async () => {
      closed.push('keys');
      throw new Error('the keys');
    });
    open.add(() => {
      throw new Error('the door');
    });
    const failed: unknown = await open.close(7).catch((error: unknown) => error);
    expect(String(failed)).to.contain('the door');
    expect(closed).to.deep.equal(['keys', 'store 7']);
    await open.close(7);
    expect(closed).to.have.length(2);
  });
});
