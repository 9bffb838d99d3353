// Files of a store that are deleted or replaced while it is in use: noticed, said, and one truth stays.
import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Monotonic } from '#shared/base/clock.ts';
import { systemRandomness } from '#shared/base/random.ts';
import type { StoreLocation } from '#shared/model/runtime-store/store-location.ts';
import { type OpenedStore, openRuntimeStore } from '#shared/state/store/open-store.ts';
import { RuntimeStoreUnavailableError } from '#shared/state/store/runtime-store-unavailable.ts';
import { StoreRefusedError } from '#shared/state/store/store-refused.ts';
import { at, code, event } from '#test/contract/store-under-test.ts';
import { temporaryDirectory } from '#test/support/open-test-store.ts';
import { silentLogger } from '#test/support/silent-logger.ts';

describe('files of a store that somebody deleted', () => {
  let directory: string;
  let elapsed: number;
  let opened: OpenedStore;
  const stopwatch = { read: () => elapsed as Monotonic, since: (start: Monotonic) => elapsed - start };
  const open = (location: StoreLocation, mustExist = false) =>
    openRuntimeStore(location, { stopwatch, random: systemRandomness, log: silentLogger(), mustExist });
  const failure = (attempt: Promise<unknown>) => attempt.catch((error: unknown) => error);
  beforeEach(() => {
    elapsed = 0;
    directory = temporaryDirectory();
  });
  afterEach(async () => {
    await opened.close();
    rmSync(directory, { recursive: true, force: true });
  });

  for (const [what, change] of [
    ['deleted', (path: string) => rmSync(path)],
    ['replaced', (path: string) => renameSync(path, `${path}.old`)],
  ] as const) {
    it(`answer nothing any more where others share the path (${what})`, async () => {
      const path = join(directory, 'rt.db');
      opened = await open({ kind: 'sqlite', path });
      change(path);
      change(join(directory, 'rt-audit.db'));
      elapsed += 1000;
      const { store, audit } = opened;
      const refused = await Promise.all(
        [store.generations.newest(), store.codes.issue(code('c'), at(0)), audit.record(event('logout'))].map(failure),
      );
      for (const error of refused) {
        expect(error).to.be.instanceOf(RuntimeStoreUnavailableError);
        expect((error as RuntimeStoreUnavailableError).trouble).to.equal('replaced');
      }
      expect(await store.condition.troubles()).to.deep.equal([
        { part: 'runtime store', trouble: 'replaced' },
        { part: 'audit', trouble: 'replaced' },
      ]);
    });
  }

  it('are gone on with in a stack of its own, which makes no others', async () => {
    const location = { kind: 'stack', directory } as const;
    opened = await open(location);
    rmSync(directory, { recursive: true });
    elapsed += 1000;
    await opened.store.codes.issue(code('c'), at(0));
    await opened.audit.record(event('logout'));
    expect((await opened.store.codes.find('c', at(0)))?.unused?.code).to.equal('c');
    expect(await opened.store.condition.troubles()).to.deep.include({ part: 'runtime store', trouble: 'replaced' });
    const joining = await failure(open(location, true));
    expect(joining).to.be.instanceOf(StoreRefusedError);
    expect(String(joining)).to.contain('was deleted while its stack was running. Restart the stack');
  });
});
