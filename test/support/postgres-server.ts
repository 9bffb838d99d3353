// A PostgreSQL server for tests: Debian's, in a directory of its own, on a Unix socket there, as an unprivileged user, and
// ended by its process id.
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { systemStopwatch } from '#shared/clock.ts';
import { systemRandomness } from '#shared/random.ts';
import type { OpenedStore } from '#shared/store/opened-store.ts';
import { openPostgresLocation } from '#shared/store/postgres/open-postgres-location.ts';
import type { PostgresLocation } from '#shared/store/store-location.ts';
import type { TestStoreOptions } from './open-test-store.ts';
import { silentLogger } from './silent-logger.ts';
import { findTool, type Skippable, toolOrSkip } from './tools.ts';

const nobody = 65_534;
const startMilliseconds = 30_000;

export interface PostgresServer {
  /** The directory of its socket, as `host`. */
  readonly socketDirectory: string;
  readonly user: string;
  /** The address of a database there, for `runtime.url`. */
  url(database?: string, credentials?: string): string;
  /** What a statement answers, asked by its owner; undefined where it answers nothing. */
  ask(statement: string, database?: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** Ends at once, as if the machine had lost its power. */
  crash(): Promise<void>;
  /** After a crash, over the same data. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Inside a hook: a server, or the tests are skipped with the reason printed. */
export async function postgresOrSkip(context: Skippable): Promise<PostgresServer> {
  const [initdb, postgres] = ['initdb', 'postgres'].map(
    (name) => findDebianTool(name) ?? toolOrSkip(context, name, 'postgresql'),
  );
  if (initdb === undefined || postgres === undefined) throw new Error('A tool that was found has no path.');
  const directory = mkdtempSync(join(tmpdir(), 'test-idp-postgres-'));
  const user = 'tester';
  const rights = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {};
  if (rights.uid !== undefined) chownSync(directory, rights.uid, rights.gid);
  chmodSync(directory, 0o700);
  const data = join(directory, 'data');
  const options = { cwd: directory, env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8', HOME: directory }, ...rights };
  execFileSync(initdb, ['-D', data, '-U', user, '-A', 'trust', '-E', 'UTF8', '--no-sync'], {
    ...options,
    stdio: 'pipe',
  });
  const settings = ['listen_addresses=', 'fsync=off', `unix_socket_directories=${directory}`];
  const begin = () => {
    const child = spawn(postgres, ['-D', data, ...settings.flatMap((setting) => ['-c', setting])], {
      ...options,
      stdio: 'ignore',
    });
    const ended = new Promise<void>((resolve) => {
      child.once('exit', () => resolve());
    });
    return { child, ended };
  };
  let running = begin();
  const ask = async (statement: string, database = 'postgres') => {
    const client = new pg.Client({ host: directory, user, database });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(statement)).rows;
    } finally {
      await client.end();
    }
  };
  const answering = async () => {
    const start = performance.now();
    for (;;) {
      try {
        await ask('SELECT 1');
        return;
      } catch (error) {
        const { exitCode } = running.child;
        if (exitCode !== null) throw new Error(`PostgreSQL ended while it started, with ${exitCode}.`);
        if (performance.now() - start > startMilliseconds) throw error;
      }
      await pause(20);
    }
  };
  const end = async (signal: 'SIGINT' | 'SIGQUIT') => {
    if (running.child.exitCode === null) running.child.kill(signal);
    await running.ended;
  };
  await answering();
  return {
    socketDirectory: directory,
    user,
    url: (database = 'postgres', credentials = user) =>
      `postgres://${credentials}@/${database}?host=${encodeURIComponent(directory)}`,
    ask,
    crash: () => end('SIGQUIT'),
    start: async () => {
      running = begin();
      await answering();
    },
    stop: async () => {
      // Fast shutdown: whoever is connected is disconnected.
      await end('SIGINT');
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Straight at the adapter: an import at run time would give the test classes of its own. */
export async function openTestPostgres(
  location: PostgresLocation,
  options: TestStoreOptions = {},
): Promise<OpenedStore> {
  const deps = { stopwatch: systemStopwatch, random: systemRandomness, log: silentLogger(), ...options };
  return { location, ...(await openPostgresLocation(location, deps)) };
}

let schemas = 0;

/** A schema that nobody has used. */
export function emptyPostgresLocation(server: PostgresServer): PostgresLocation {
  schemas += 1;
  return { kind: 'postgres', url: server.url(), schema: `empty_${schemas}`, poolSize: 4, directory: '' };
}

/** Debian keeps the programs of a server off the PATH; the newest version is taken. */
function findDebianTool(name: string): string | undefined {
  const onPath = findTool(name);
  if (onPath !== undefined) return onPath;
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root) ? readdirSync(root).toSorted((one, other) => Number(other) - Number(one)) : [];
  return versions.map((version) => join(root, version, 'bin', name)).find((path) => existsSync(path));
}
