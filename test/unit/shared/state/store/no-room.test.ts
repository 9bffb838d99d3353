// A store whose files cannot grow. It rejects additions as full, but deletions work, expired rows are deleted
// automatically, and the audit keeps the newest entries.
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { instant, systemStopwatch } from '#shared/base/clock.ts';

import { systemRandomness } from '#shared/base/random.ts';
import type { OpenedStore } from '#shared/state/store/open-store.ts';
import { RuntimeStoreUnavailableError } from '#shared/state/store/runtime-store-unavailable.ts';
import { openDatabasesInFiles } from '#shared/state/store/sqlite/open-databases.ts';
import { openSqliteStore } from '#shared/state/store/sqlite/open-sqlite-store.ts';
import { storeFilesOf } from '#shared/state/store/store-files.ts';
import { at, code, event, userEntry } from '#test/contract/store-under-test.ts';
import { manualClock } from '#test/support/manual-clock.ts';
import { temporaryDirectory } from '#test/support/open-test-store.ts';
import { silentLogger } from '#test/support/silent-logger.ts';

const bytesMax = 1024 * 1024;

describe('a store without free space', () => {
  const realClock = manualClock(at(0));
  let directory: string;
  let opened: Omit<OpenedStore, 'location'>;
  beforeEach(async () => {
    directory = temporaryDirectory();
    const machine = { stopwatch: systemStopwatch, random: systemRandomness, log: silentLogger(), realClock };
    const databases = await openDatabasesInFiles(storeFilesOf(join(directory, 'rt.db')), true, machine);
    databases.runtime.limitTo(bytesMax);
    databases.audit.limitTo(bytesMax);
    opened = await openSqliteStore(databases, machine);
  });
  afterEach(async () => {
    await opened.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const trouble = async (attempt: Promise<unknown>) => {
    const error = await attempt.then(
      () => undefined,
      (refused: unknown) => refused,
    );
    return error instanceof RuntimeStoreUnavailableError ? error.trouble : error;
  };
  const createUser = (name: string) => {
    const entry = userEntry({ attributes: { text: 'x'.repeat(20_000) } });
    return opened.store.identities.createUser(name, entry, at(0), event('runtime_identity_created'));
  };
  /** Returns how many fitted. */
  const fillUp = async (add: (number: number) => Promise<unknown>) => {
    for (let number = 0; number < 10_000; number += 1) {
      const refused = await trouble(add(number));
      if (refused === 'full') return number;
      expect(refused).to.equal(undefined);
    }
    throw new Error('The store never ran out of space.');
  };

  it('removes and resets runtime objects, and then accepts new ones', async () => {
    const { identities } = opened.store;
    const count = await fillUp((number) => createUser(`user-${number}`));
    expect(count).to.be.above(20);
    expect(await identities.remove('user', 'user-0', event('runtime_identity_deleted'))).to.equal('removed');
    await createUser('another');
    expect(await trouble(createUser('one too many'))).to.equal('full');
    expect(await opened.store.condition.troubles()).to.deep.equal([{ part: 'runtime store', trouble: 'full' }]);
    const reset = await identities.reset((details) => event('runtime_identities_reset', { details }));
    expect(reset).to.deep.equal({ users_deleted: count, clients_deleted: 0 });
    expect(await opened.store.condition.troubles()).to.deep.equal([]);
    await createUser('after');
    expect(await identities.names('user')).to.deep.equal(['after']);
  });

  it('accepts assertions and DPoP proofs again once earlier ones have expired', async () => {
    const use = (id: string) => opened.store.tokenState.useAssertion(id, instant(realClock.now() + 600_000));
    expect(await fillUp((number) => use(`proof-${number}`))).to.be.above(1000);
    realClock.advance(901_000);
    for (let number = 0; number < 1000; number += 1) expect(await use(`late-${number}`)).to.equal(true);
  });

  it('accepts codes again once others have expired', async () => {
    const issue = (value: string, seconds: number) =>
      opened.store.codes.issue({ ...code(value, { issuedAt: at(seconds) }), username: 'x'.repeat(5_000) }, at(seconds));
    await fillUp((number) => issue(`code-${number}`, 0));
    realClock.advance(600_000);
    expect(await issue('late', 600)).to.equal('issued');
    expect((await opened.store.codes.find('late', at(600)))?.unused?.code).to.equal('late');
  });

  it('keeps the newest audit entries, and can be cleared', async () => {
    const { audit } = opened;
    const details = Object.fromEntries(Array.from({ length: 7 }, (_, index) => [`m${index}`, 'x'.repeat(1000)]));
    for (let number = 0; number < 400; number += 1) {
      await audit.record(event('login', { details: { number, ...details } }));
      // Writes that delete old rows always work, however few pages are free at the moment.
      expect(await opened.store.condition.troubles(), `after ${number}`).to.deep.equal([]);
    }
    const entries = await audit.read({ limit: -1 });
    expect(entries.at(-1)?.details.number).to.equal(399);
    expect(entries.length).to.be.within(1, 200);
    await audit.clear();
    expect(await audit.read({ limit: -1 })).to.deep.equal([]);
  });

  it('reserves some MiB for that while any process uses it', async () => {
    const reserve = join(directory, 'rt-owners', 'reserve');
    expect(existsSync(reserve)).to.equal(true);
    await opened.close();
    expect(existsSync(reserve)).to.equal(false);
  });
});
