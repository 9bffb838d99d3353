// What a process leaves open or behind in the owners' directory of a store if a file there cannot be deleted or locked.
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { systemStopwatch } from '#shared/base/clock.ts';
import { systemRandomness } from '#shared/base/random.ts';
import { openRuntimeStore } from '#shared/state/store/open-store.ts';
import { openProcessOwners } from '#shared/state/store/sqlite/proof-of-life.ts';
import { silentLogger } from '#test/support/silent-logger.ts';
import { verifies } from '#test/support/verifies.ts';
import { withoutRoot } from '#test/support/without-root.ts';

describe('the owners of a store in a directory with problems', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'test-idp-owners-'));
  });
  afterEach(() => {
    chmodSync(root, 0o700);
    rmSync(root, { recursive: true, force: true });
  });

  /** The error of `work` while the directory is read-only. */
  const failureOf = async (directory: string, work: () => unknown): Promise<unknown> => {
    chmodSync(directory, 0o555);
    try {
      await withoutRoot(async () => work());
      return undefined;
    } catch (error) {
      return error;
    } finally {
      chmodSync(directory, 0o700);
    }
  };
  const canBeLocked = (path: string) => {
    const database = new Database(path, { timeout: 0 });
    try {
      database.exec('BEGIN EXCLUSIVE');
      return true;
    } catch {
      return false;
    } finally {
      database.close();
    }
  };

  verifies('STO-17', 'do not keep the lock of a dead owner, which would then seem alive', async () => {
    const owners = openProcessOwners(root, systemRandomness);
    const dead = 'a'.repeat(22);
    writeFileSync(join(root, `${dead}.db`), '');
    chmodSync(join(root, `${dead}.db`), 0o666);
    const failure = await failureOf(root, () => owners.isDead(dead));
    expect(failure).to.include({ code: 'EACCES' });
    expect(canBeLocked(join(root, `${dead}.db`))).to.equal(true);
    owners.close();
  });

  verifies('STO-17', 'release their own lock at the end', async () => {
    const owners = openProcessOwners(root, systemRandomness);
    const failure = await failureOf(root, () => owners.close());
    expect(failure).to.include({ code: 'EACCES' });
    expect(canBeLocked(join(root, `${owners.self}.db`))).to.equal(true);
  });

  verifies('STO-17', 'leave no file behind if none can be locked', () => {
    // SQLite opens no path of more than 512 characters.
    const deep = join(root, ...Array.from({ length: 5 }, () => 'd'.repeat(95)));
    mkdirSync(deep, { recursive: true });
    expect(() => openProcessOwners(deep, systemRandomness)).to.throw(/could be locked/);
    expect(readdirSync(deep)).to.deep.equal([]);
  });

  verifies('STO-17', 'close the databases at the end nevertheless', async () => {
    const path = join(root, 'rt.db');
    const { close } = await openRuntimeStore(
      { kind: 'sqlite', path },
      { stopwatch: systemStopwatch, random: systemRandomness, log: silentLogger() },
    );
    chmodSync(root, 0o755);
    const failure = await failureOf(join(root, 'rt-owners'), close);
    expect(failure).to.include({ code: 'EACCES' });
    for (const file of ['rt.db', 'rt-audit.db']) {
      const database = new Database(join(root, file), { timeout: 0 });
      // Which needs to be the only connection.
      expect(database.pragma('journal_mode = DELETE', { simple: true }), file).to.equal('delete');
      database.close();
    }
  });
});
