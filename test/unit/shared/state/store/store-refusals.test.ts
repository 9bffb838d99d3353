// A store that cannot be used is refused without a trace: the same bytes, the same modes, nothing new beside it.
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { systemStopwatch } from '#shared/base/clock.ts';
import { systemRandomness } from '#shared/base/random.ts';
import { openRuntimeStore } from '#shared/state/store/open-store.ts';
import { auditSchema } from '#shared/state/store/sqlite/audit/audit-schema.ts';
import { inspectDatabaseFile } from '#shared/state/store/sqlite/database-file.ts';
import { runtimeSchema } from '#shared/state/store/sqlite/schema/runtime-schema.ts';
import { requireSqliteVersion } from '#shared/state/store/sqlite/sqlite-version.ts';
import { StoreRefusedError } from '#shared/state/store/store-refused.ts';
import { at, event, userEntry } from '#test/contract/store-under-test.ts';
import { skipBecause } from '#test/support/debian-programs.ts';
import { silentLogger } from '#test/support/silent-logger.ts';
import { verifies } from '#test/support/verifies.ts';
import { withoutRoot } from '#test/support/without-root.ts';

describe('a refused runtime store', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'test-idp-refusal-'));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const open = (path: string, configurationDirectory?: string) =>
    openRuntimeStore(
      { kind: 'sqlite', path },
      { stopwatch: systemStopwatch, random: systemRandomness, log: silentLogger(), configurationDirectory },
    );

  /** Every entry below the root with kind, mode and content. */
  const everything = (directory = root): string[] =>
    readdirSync(directory, { withFileTypes: true })
      .flatMap((entry) => {
        const path = join(directory, entry.name);
        if (entry.isSymbolicLink()) return [`${path} link`];
        const { mode } = statSync(path);
        if (entry.isDirectory()) return [`${path} ${mode.toString(8)}`, ...everything(path)];
        return [`${path} ${mode.toString(8)} ${createHash('sha256').update(readFileSync(path)).digest('hex')}`];
      })
      .toSorted();

  const refused = async (path: string, reason: RegExp, configurationDirectory?: string) => {
    const before = everything();
    let error: unknown;
    try {
      await (await open(path, configurationDirectory)).close();
    } catch (thrown) {
      error = thrown;
    }
    expect(error, String(error)).to.be.instanceOf(StoreRefusedError);
    const message = error instanceof Error ? error.message : '';
    expect(message, message).to.match(reason);
    expect(everything()).to.deep.equal(before);
  };

  const sqliteFile = (path: string, ...pragmas: string[]) => {
    const database = new Database(path);
    database.exec('CREATE TABLE things (name TEXT); INSERT INTO things VALUES (1)');
    for (const pragma of pragmas) database.pragma(pragma);
    database.close();
  };

  verifies('STO-05', 'refuses a directory, a text and another program’s database, each with its reason', async () => {
    mkdirSync(join(root, 'directory.db'));
    writeFileSync(
      join(root, 'text.db'),
      'no database at all, but longer than the header of one would have to be'.repeat(9),
    );
    writeFileSync(join(root, 'short.db'), 'short');
    sqliteFile(join(root, 'foreign.db'));
    await refused(join(root, 'directory.db'), /directory\.db is a directory/);
    await refused(join(root, 'text.db'), /text\.db is not an SQLite database/);
    await refused(join(root, 'short.db'), /short\.db is not an SQLite database/);
    await refused(join(root, 'foreign.db'), /foreign\.db is an SQLite database, but not the runtime store/);
  });

  verifies('STO-05', 'refuses an audit in the store’s place, the reverse, and a foreign audit', async () => {
    await (await open(join(root, 'rt.db'))).close();
    await refused(join(root, 'rt-audit.db'), /rt-audit\.db is the audit/);
    rmSync(join(root, 'rt-audit.db'));
    writeFileSync(join(root, 'rt-audit.db'), readFileSync(join(root, 'rt.db')));
    await refused(join(root, 'rt.db'), /rt-audit\.db is the runtime store/);
    rmSync(join(root, 'rt-audit.db'));
    sqliteFile(join(root, 'rt-audit.db'));
    await refused(join(root, 'rt.db'), /rt-audit\.db is an SQLite database, but not the audit/);
  });

  verifies('STO-05', 'refuses another schema version and an audit of another bound', async () => {
    await (await open(join(root, 'rt.db'))).close();
    const change = (file: string, pragma: string) => {
      const database = new Database(join(root, file));
      database.pragma(pragma);
      database.pragma('journal_mode = DELETE');
      database.close();
    };
    change('rt.db', 'user_version = 99');
    await refused(join(root, 'rt.db'), /rt\.db has the format 99 of the runtime store, but this program writes \d+\./);
    change('rt.db', `user_version = ${runtimeSchema.version}`);
    // Format 2 with a bound of 5000 entries.
    change('rt-audit.db', 'user_version = 2005000');
    await refused(join(root, 'rt.db'), /rt-audit\.db has the format 2005000 of the audit/);
  });

  verifies('STO-05', 'refuses a damaged store', async () => {
    const path = join(root, 'rt.db');
    await (await open(path)).close();
    const bytes = readFileSync(path);
    bytes.fill(0x5a, 4096 * 2, 4096 * 6);
    writeFileSync(path, bytes);
    await refused(path, /rt\.db is damaged/);
    rmSync(path);
    const audit = readFileSync(join(root, 'rt-audit.db'));
    audit.fill(0x5a, 4096, 4096 * 3);
    writeFileSync(join(root, 'rt-audit.db'), audit);
    await refused(path, /rt-audit\.db is damaged/);
  });

  describe('whose file is damaged in the middle', () => {
    /** A store that was used, and where its tables and indexes begin. */
    const usedStore = async () => {
      const path = join(root, 'rt.db');
      const { store, close } = await open(path);
      for (const name of ['a', 'b', 'c']) {
        await store.identities.createUser(name, userEntry(), at(0), event('runtime_identity_created'));
      }
      await close();
      return path;
    };
    const pageOf = (path: string, name: string) => {
      const database = new Database(path);
      const page = Number(database.prepare('SELECT rootpage FROM sqlite_master WHERE name = ?').pluck().get(name));
      database.close();
      return { start: (page - 1) * 4096, end: page * 4096 };
    };
    const overwrite = (path: string, { start }: { start: number }, bytes: Uint8Array) => {
      const whole = readFileSync(path);
      whole.set(bytes, start);
      writeFileSync(path, whole);
    };
    const index = 'sqlite_autoindex_runtime_identities_1';

    for (const [what, name] of [
      ['a table', 'runtime_identities'],
      ['an index', index],
    ] as const) {
      verifies('STO-05', `refuses it when a page of ${what} was overwritten`, async () => {
        const path = await usedStore();
        overwrite(path, pageOf(path, name), new Uint8Array(4096).fill(0x5a));
        await refused(path, /rt\.db is damaged/);
      });
    }

    verifies('STO-05', 'refuses it when an index is whole and says something else than its table', async () => {
      const path = await usedStore();
      const page = pageOf(path, index);
      const old = readFileSync(path).subarray(page.start, page.end);
      const { store, close } = await open(path);
      await store.identities.createUser('d', userEntry(), at(0), event('runtime_identity_created'));
      // As many entries as before, so that only their content tells.
      await store.identities.remove('user', 'a', event('runtime_identity_deleted'));
      await close();
      overwrite(path, page, old);
      await refused(path, /rt\.db is damaged/);
    });

    verifies('STO-05', 'leaves it and its log as a killed process left them', async () => {
      const path = await usedStore();
      const { store, close } = await open(path);
      await store.identities.createUser('d', userEntry(), at(0), event('runtime_identity_created'));
      // As they are on disk in the middle of the life of a process.
      mkdirSync(join(root, 'killed'));
      for (const name of ['rt.db', 'rt.db-wal', 'rt-audit.db', 'rt-audit.db-wal']) {
        copyFileSync(join(root, name), join(root, 'killed', name));
      }
      await close();
      const left = join(root, 'killed', 'rt.db');
      expect(statSync(`${left}-wal`).size).to.be.greaterThan(0);
      overwrite(left, pageOf(path, 'outbox'), new Uint8Array(4096).fill(0x5a));
      overwrite(left, pageOf(path, 'shared_secrets'), new Uint8Array(4096).fill(0x5a));
      await refused(left, /rt\.db is damaged/);
    });
  });

  verifies('STO-05', 'is one in a directory that cannot be written to; it stays as it is', async () => {
    const directory = join(root, 'read-only');
    const path = join(directory, 'rt.db');
    await (await open(path)).close();
    const readOnly = (isReadOnly: boolean) => {
      for (const name of ['rt.db', 'rt-audit.db']) chmodSync(join(directory, name), isReadOnly ? 0o444 : 0o600);
      chmodSync(join(directory, 'rt-owners'), isReadOnly ? 0o555 : 0o700);
      chmodSync(directory, isReadOnly ? 0o555 : 0o700);
    };
    chmodSync(root, 0o755);
    readOnly(true);
    await withoutRoot(() => refused(path, /rt\.db cannot be (written to: EACCES|used: attempt to write a readonly)/));
    readOnly(false);
    await (await open(path)).close();
  });

  verifies(
    'STO-04',
    'is one whose files are others’ and cannot be made private; nothing of them stays open',
    async function () {
      if (process.getuid?.() !== 0) skipBecause(this, 'only root can make files that are somebody else’s');
      const path = join(root, 'rt.db');
      await (await open(path)).close();
      for (const name of ['rt.db', 'rt-audit.db']) chmodSync(join(root, name), 0o666);
      for (const directory of [root, join(root, 'rt-owners')]) chmodSync(directory, 0o777);
      await withoutRoot(() => refused(path, /rt\.db cannot be made private: EPERM/));
    },
  );

  it('is judged by its header where this process had that file open and it was moved before it was closed', async () => {
    const [path, moved] = [join(root, 'rt.db'), join(root, 'moved.db')];
    const opened = await open(path);
    renameSync(path, moved);
    await opened.close();
    writeFileSync(moved, 'no database at all, but as long as the header of one would have to be'.repeat(9));
    await refused(moved, /moved\.db is not an SQLite database/);
  });

  it('has no header read as long as anything in this process has it open, which would drop its locks', async () => {
    const path = join(root, 'rt.db');
    const [first, second] = [await open(path), await open(path)];
    const inspected = () => inspectDatabaseFile(path, auditSchema, []);
    await first.close();
    expect(inspected()).to.equal('ours');
    await second.close();
    expect(inspected).to.throw(StoreRefusedError, 'is an SQLite database, but not the audit');
  });

  it('refuses a file where the owners’ directory must be', async () => {
    writeFileSync(join(root, 'rt-owners'), 'a file');
    await refused(join(root, 'rt.db'), /rt-owners must be a directory/);
  });

  verifies('STO-05', 'refuses what is no owner’s file among them, and leaves none of its own', async () => {
    const path = join(root, 'rt.db');
    await (await open(path)).close();
    writeFileSync(join(root, 'rt-owners', `${'a'.repeat(22)}.db`), 'no database at all, but long enough'.repeat(99));
    await refused(path, /rt-owners cannot be used: file is not a database/);
  });

  verifies('STO-02', 'refuses files in the configuration directory, also through a link, and makes none', async () => {
    const configuration = join(root, 'config');
    mkdirSync(configuration);
    mkdirSync(join(root, 'outside'));
    symlinkSync(configuration, join(root, 'link'));
    await refused(join(configuration, 'rt.db'), /is in the configuration directory/, configuration);
    await refused(join(configuration, 'deep', 'er', 'rt.db'), /is in the configuration directory/, configuration);
    await refused(join(root, 'link', 'rt.db'), /is in the configuration directory/, configuration);
    await refused(join(configuration, 'rt.db'), /is in the configuration directory/, join(root, 'link'));
    symlinkSync(join(configuration, 'audit.db'), join(root, 'outside', 'rt-audit.db'));
    const looped = open(join(root, 'outside', 'rt.db'), configuration);
    let message = '';
    await looped.catch((error: Error) => {
      message = error.message;
    });
    expect(message).to.match(/is in the configuration directory/);
    expect(readdirSync(configuration)).to.deep.equal([]);
    expect(readdirSync(join(root, 'outside'))).to.deep.equal(['rt-audit.db']);
  });

  it('does not take a neighbour whose name begins alike for the configuration directory', async () => {
    mkdirSync(join(root, 'config'));
    await (await open(join(root, 'config-state', 'rt.db'), join(root, 'config'))).close();
  });

  verifies('STO-07', 'refuses an SQLite older than 3.24', () => {
    for (const version of ['3.23.1', '3.9.2', '2.8.17']) {
      expect(() => requireSqliteVersion(version)).to.throw(StoreRefusedError, /SQLite 3\.24\.0 or newer is required/);
    }
    for (const version of ['3.24.0', '3.24.1', '3.100.0', '4.0.0']) requireSqliteVersion(version);
  });
});
