// The files of a store: their names, their modes, and processes that start and end.
import { fork } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { instant } from '#shared/base/clock.ts';
import { refuseInsideConfiguration, storeFilesOf } from '#shared/state/store/store-files.ts';
import { StoreRefusedError } from '#shared/state/store/store-refused.ts';
import { bundleScript } from '#test/support/bundled-script.ts';
import { openTestStore } from '#test/support/open-test-store.ts';
import { verifies } from '#test/support/verifies.ts';

describe('the files of a runtime store', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'test-idp-files-'));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const mode = (...names: string[]) => (statSync(join(root, ...names)).mode & 0o777).toString(8);

  verifies('STO-03', 'are X.db, X-audit.db and X-owners, in directories made for them', async () => {
    const opened = await openTestStore({ kind: 'sqlite', path: join(root, 'a', 'b', 'X.db') });
    await opened.close();
    expect(readdirSync(join(root, 'a', 'b')).toSorted()).to.deep.equal(['X-audit.db', 'X-owners', 'X.db']);
    expect(readdirSync(join(root, 'a', 'b', 'X-owners'))).to.deep.equal([]);
  });

  for (const umask of [0o000, 0o077, 0o777]) {
    verifies('STO-04', `are private under umask ${umask.toString(8).padStart(3, '0')}`, async () => {
      const before = process.umask(umask);
      try {
        const opened = await openTestStore({ kind: 'sqlite', path: join(root, 'X.db') });
        await opened.audit.record({ event_type: 'logout', at: instant(0), status: 'success' });
        for (const file of ['X.db', 'X.db-wal', 'X.db-shm', 'X-audit.db', 'X-audit.db-wal', 'X-audit.db-shm']) {
          expect(mode(file), file).to.equal('600');
        }
        expect(mode('X-owners')).to.equal('700');
        const owners = readdirSync(join(root, 'X-owners'));
        expect(owners).to.have.length.of.at.least(1);
        for (const file of owners) expect(mode('X-owners', file), file).to.equal('600');
        await opened.close();
      } finally {
        process.umask(before);
      }
    });
  }

  verifies('STO-04', 'are made private when an existing store is not', async () => {
    await (await openTestStore({ kind: 'sqlite', path: join(root, 'X.db') })).close();
    chmodSync(join(root, 'X.db'), 0o644);
    chmodSync(join(root, 'X-audit.db'), 0o666);
    chmodSync(join(root, 'X-owners'), 0o755);
    await (await openTestStore({ kind: 'sqlite', path: join(root, 'X.db') })).close();
    expect([mode('X.db'), mode('X-audit.db'), mode('X-owners')]).to.deep.equal(['600', '600', '700']);
  });

  verifies(
    'STO-05',
    'cannot be below a file, which is rejected with the reason, for each error of Node.js',
    async () => {
      writeFileSync(join(root, 'file'), '');
      const path = join(root, 'file', 'runtime.db');
      expect(() => refuseInsideConfiguration(storeFilesOf(path), root)).to.throw(StoreRefusedError);
      expect(() => refuseInsideConfiguration(storeFilesOf(path), join(root, 'elsewhere'))).not.to.throw();
      const refused = await openTestStore({ kind: 'sqlite', path }).catch((error: unknown) => error);
      expect(refused).to.be.instanceOf(StoreRefusedError);
    },
  );

  verifies('STO-06', 'may exist as files of zero bytes', async () => {
    writeFileSync(join(root, 'X.db'), '', { mode: 0o644 });
    writeFileSync(join(root, 'X-audit.db'), '');
    const opened = await openTestStore({ kind: 'sqlite', path: join(root, 'X.db') });
    expect(await opened.store.generations.accept('a', 'b')).to.equal(1);
    expect(mode('X.db')).to.equal('600');
    await opened.close();
  });

  it('can be created by two handles at once, and both work', async () => {
    for (let round = 0; round < 5; round += 1) {
      const path = join(root, `${round}`, 'X.db');
      const handles = await Promise.all([1, 2, 3].map(() => openTestStore({ kind: 'sqlite', path })));
      const numbers = await Promise.all(handles.map(({ store }, n) => store.generations.accept(`${n}`, undefined)));
      expect(numbers.toSorted()).to.deep.equal([1, 2, 3]);
      await Promise.all(handles.map((handle) => handle.close()));
    }
  });

  verifies('STO-17', 'include one owner file for each process, and those of dead processes are deleted', async () => {
    const path = join(root, 'X.db');
    // The reserve file exists next to them while any process uses the store.
    const owners = () => readdirSync(join(root, 'X-owners')).filter((name) => name !== 'reserve');
    mkdirSync(join(root, 'X-owners'));
    writeFileSync(join(root, 'X-owners', 'notes.txt'), 'somebody else’s file stays');
    const first = await openTestStore({ kind: 'sqlite', path });
    const child = fork(await bundleScript('store/hold-store.ts'), [path], { execArgv: [] });
    await new Promise((resolve) => child.once('message', resolve));
    expect(owners()).to.have.length(3);
    const exited = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await exited;
    expect(owners()).to.have.length(3);
    const second = await openTestStore({ kind: 'sqlite', path });
    expect(owners().toSorted()).to.deep.equal([`${first.owner}.db`, `${second.owner}.db`, 'notes.txt'].toSorted());
    await first.close();
    await second.close();
    expect(readdirSync(join(root, 'X-owners'))).to.deep.equal(['notes.txt']);
  });
});
