import { mock } from 'node:test';
import { expect } from 'chai';
import { openServices } from '#shared/process/worker/open-process-services.ts';
import { OpenResources } from '#shared/process/worker/open-resources.ts';
import { generateRsaKeyPair } from '#shared/state/keys/key-pair.ts';
import { countLooks } from '#test/support/open-looks.ts';
import { silentLogger } from '#test/support/silent-logger.ts';
import { verifies } from '#test/support/verifies.ts';

describe('services that are not opened to the end', () => {
  afterEach(() => mock.restoreAll());

  verifies(['API-14', 'API-15'], 'leave nothing open, the look after the certificate included', async () => {
    const looks = countLooks();
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
    expect(looks.size).to.equal(0);
  });

  it('are closed the other way round, each once and although another one fails', async () => {
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
