// A Debian PostgreSQL server for tests, in its own directory, on a Unix socket there, as an unprivileged user. It is ended
// by its process id.
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { systemStopwatch } from '#shared/base/clock.ts';
import { systemRandomness } from '#shared/base/random.ts';
import type { PostgresLocation } from '#shared/model/runtime-store/store-location.ts';
import type { OpenedStore, OpenStoreDependencies } from '#shared/state/store/opened-store.ts';
import type { Connect } from '#shared/state/store/postgres/connection.ts';
import { connectWith } from '#shared/state/store/postgres/driver.ts';
import { openPostgresLocation } from '#shared/state/store/postgres/open-postgres-location.ts';
import { freePort } from '#test/support/free-port.ts';
import { findTool, type Skippable, toolOrSkip } from './debian-programs.ts';
import type { TestStoreOptions } from './open-test-store.ts';
import { silentLogger } from './silent-logger.ts';

const nobody = 65_534;
const startMilliseconds = 30_000;
const defaultPort = 5432;
const attemptsAtPort = 5;

export interface PostgresServer {
  /** The directory of its socket, as `host`. */
  readonly socketDirectory: string;
  /** The port, which also applies to its socket. */
  readonly port: number;
  readonly user: string;
  /** The address of a database there, for `runtime.url`. */
  url(database?: string, credentials?: string): string;
  /** Runs a statement as the owner and returns its rows, or undefined without rows. */
  ask(statement: string, database?: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** The user and group of its process. */
  readonly rights: { readonly uid: number; readonly gid: number };
  /** Writes a file into the data directory, which no other user can read. */
  place(name: string, text: string): void;
  /** Ends at once, as if the machine had lost its power. */
  crash(): Promise<void>;
  /** After a crash, over the same data. */
  start(): Promise<void>;
  /** Restarts as an operator does: it ends all connections and serves again. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

interface ServerOptions {
  /** The address at which it also serves TCP, at the same port. */
  readonly listen?: string;
  /** As in postgresql.conf, such as `max_connections=20`. */
  readonly settings?: readonly string[];
  /** A standby of that server, which accepts no writes until it is promoted. */
  readonly standbyOf?: Pick<PostgresServer, 'socketDirectory'>;
}

/** Inside a suite: a server for all its tests, or the tests are skipped and the reason is printed. */
export function usePostgres(take: (server: PostgresServer) => void): void {
  let server: PostgresServer | undefined;
  before(async function () {
    server = await postgresOrSkip(this);
    take(server);
  });
  after(() => server?.stop());
}

/** Inside a hook: a server, or the tests are skipped and the reason is printed. */
export async function postgresOrSkip(context: Skippable, given: ServerOptions = {}): Promise<PostgresServer> {
  const [maker, postgres] = [given.standbyOf === undefined ? 'initdb' : 'pg_basebackup', 'postgres'].map(
    (name) => findDebianTool(name) ?? toolOrSkip(context, name, 'postgresql'),
  );
  if (maker === undefined || postgres === undefined) throw new Error('A tool that was found has no path.');
  const directory = mkdtempSync(join(tmpdir(), 'test-idp-postgres-'));
  const user = 'tester';
  const rights = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {};
  if (rights.uid !== undefined) chownSync(directory, rights.uid, rights.gid);
  chmodSync(directory, 0o700);
  const data = join(directory, 'data');
  const options = { cwd: directory, env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8', HOME: directory }, ...rights };
  const making =
    given.standbyOf === undefined
      ? ['-A', 'trust', '-E', 'UTF8']
      : ['-h', given.standbyOf.socketDirectory, '-R', '-c', 'fast'];
  execFileSync(maker, ['-D', data, '-U', user, '--no-sync', ...making], { ...options, stdio: 'pipe' });
  let port = given.listen === undefined ? defaultPort : await freePort();
  const begin = () => {
    const settings = [
      ...[`listen_addresses=${given.listen ?? ''}`, `port=${port}`, `unix_socket_directories=${directory}`],
      ...['fsync=off', ...(given.settings ?? [])],
    ];
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
    const client = new pg.Client({ host: directory, port, user, database });
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
  const start = async () => {
    running = begin();
    await answering();
  };
  for (let attempt = 1; ; attempt += 1) {
    try {
      await answering();
      break;
    } catch (error) {
      // Another program may have got the port meanwhile.
      if (given.listen === undefined || running.child.exitCode === null || attempt === attemptsAtPort) throw error;
      port = await freePort();
      running = begin();
    }
  }
  return {
    socketDirectory: directory,
    ...{ port, user },
    rights: { uid: rights.uid ?? process.getuid?.() ?? nobody, gid: rights.gid ?? process.getgid?.() ?? nobody },
    url: (database = 'postgres', credentials = user) =>
      `postgres://${credentials}@:${port}/${database}?host=${encodeURIComponent(directory)}`,
    ask,
    place: (name, text) => {
      const path = join(data, name);
      writeFileSync(path, text, { mode: 0o600 });
      if (rights.uid !== undefined) chownSync(path, rights.uid, rights.gid);
    },
    crash: () => end('SIGQUIT'),
    start,
    restart: async () => {
      await end('SIGINT');
      await start();
    },
    stop: async () => {
      // Fast shutdown: it ends all connections.
      await end('SIGINT');
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Imports the adapter directly, because a dynamic import would create separate classes in the test. */
export async function openTestPostgres(
  location: PostgresLocation,
  options: TestStoreOptions & Partial<Pick<OpenStoreDependencies, 'log' | 'mustExist' | 'onOutgrown'>> = {},
): Promise<OpenedStore> {
  return { location, ...(await openPostgresLocation(location, { ...testStoreDependencies(), ...options })) };
}

export function testStoreDependencies(): OpenStoreDependencies {
  return { stopwatch: systemStopwatch, random: systemRandomness, log: silentLogger() };
}

/** Connections to a server as the store creates them, for a test that puts itself in between. */
export function connectTo(
  { socketDirectory, port, user }: Pick<PostgresServer, 'socketDirectory' | 'user'> & { readonly port?: number },
  schema: string,
): Connect {
  const servers = [{ host: socketDirectory, port, user, database: 'postgres' }];
  return connectWith(pg, { servers, schema, applicationName: 'test-idp test' });
}

let schemas = 0;

/** An unused schema. */
export function emptyPostgresLocation(server: PostgresServer): PostgresLocation {
  schemas += 1;
  return { kind: 'postgres', url: server.url(), schema: `empty_${schemas}`, poolSize: 4, directory: '' };
}

/** Debian keeps the programs of a server off the PATH. The newest version is used. */
function findDebianTool(name: string): string | undefined {
  const onPath = findTool(name);
  if (onPath !== undefined) return onPath;
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root) ? readdirSync(root).toSorted((one, other) => Number(other) - Number(one)) : [];
  return versions.map((version) => join(root, version, 'bin', name)).find((path) => existsSync(path));
}
