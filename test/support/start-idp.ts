// Starts the built program as its user does and waits until it is ready. Every instance gets a temporary configuration
// directory, a free port and a keys directory. `stop` ends it and removes all of it. A world (worlds.ts) and the changes of
// a test configure it. test/README.md is the guide. All instances of a test process share generated keys, because
// generating them takes a quarter of a start.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { systemClock } from '#shared/base/clock.ts';
import type { RuntimeStore } from '#shared/state/store/ports/index.ts';
import { watchAnswers } from './declared-answers.ts';
import { type ApiClient, apiClient } from './management-api.ts';
import { openTestStore } from './open-test-store.ts';
import { newKeysRoot, openTestKeys } from './test-keys.ts';
import { type Changes, demo, type World } from './worlds.ts';

/** The built command. TEST_IDP_CLI names another build, so that one can be tested while `dist/` is rebuilt. */
export const cliPath = process.env.TEST_IDP_CLI ?? fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

/** A process that runs startIdp behind the same options (API-10): both front ends for a third of the cost of a stack. */
const instanceHost = [
  fileURLToPath(new URL('../fixtures/in-process-host.mjs', import.meta.url)),
  join(dirname(cliPath), 'index.js'),
];

/** TEST_IDP_IN_PROCESS overrides the default of tests: `1` uses an instance, `0` the whole stack (endpoints/*.drill.ts). */
const { TEST_IDP_IN_PROCESS: everywhere } = process.env;

function programOf([command = '', ...args]: readonly string[], cli: string): readonly string[] {
  const isInstance = everywhere === '1' || (command === 'instance' && everywhere !== '0');
  if (isInstance) return [...instanceHost, 'start', ...args];
  return [cli, command === 'instance' ? 'start' : command, ...args];
}

export interface StartOptions extends Changes {
  /** The configured users, clients and settings. Default: the demo. */
  readonly world?: World;
  /** The whole stack, one standalone worker or both front ends in one process. Default: that of the world. */
  readonly command?: 'start' | 'oidc' | 'saml' | 'instance';
  /** Further files by their path under the root, written before the start. */
  readonly files?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** A command that runs the program given as its arguments in its own process. */
  readonly within?: readonly string[];
  /** Another build of the command. */
  readonly cli?: string;
  /** An existing directory, whose files are not changed and which `stop` does not remove. */
  readonly root?: string;
}

export interface RunningIdp {
  readonly baseUrl: string;
  readonly pid: number;
  readonly mcpUrl: string | undefined;
  /** Only for a program that was started with --demo. */
  readonly demoUrl: string | undefined;
  /** Only for a program with TLS: the file of its authority. */
  readonly caFile: string | undefined;
  /** The directory that contains config/ and keys/. */
  readonly root: string;
  readonly configDirectory: string;
  readonly process: ChildProcess;
  /** Its REST API. */
  readonly api: ApiClient;
  /** Its standard error so far. */
  log(): string;
  /** Writes both files, the world with these changes, which are active when this resolves. */
  configure(changes?: Changes): Promise<void>;
  /** The stored audit, newest entry last. `filter` is a further part of the query: `&event_type=login`. */
  audit(filter?: string): Promise<readonly AuditView[]>;
  /** The audit entries that `action` wrote. The audit is cleared before. */
  audited(action: () => Promise<unknown>): Promise<readonly AuditView[]>;
  /** Only for a SQLite store: how far the program's clock is ahead of the machine's from its next request on. */
  setClock(aheadMilliseconds: number): Promise<void>;
  /** Only for a SQLite store: the program's own store, opened by this process too. */
  withStore<Result>(use: (store: RuntimeStore) => Promise<Result>): Promise<Result>;
  /** SIGTERM, and SIGKILL after 15 s. Returns the exit code. */
  stop(): Promise<number | null>;
  /** Resolves with the exit code when it ends on its own. */
  readonly exited: Promise<number | null>;
}

interface AuditView {
  readonly timestamp: string;
  readonly clock: string | null;
  readonly event_type: string;
  readonly status: string;
  readonly username: string | null;
  readonly client_id: string | null;
  readonly endpoint: string | null;
  readonly method: string | null;
  readonly details: Readonly<Record<string, unknown>>;
}

export async function startIdp(options: StartOptions = {}): Promise<RunningIdp> {
  const world = options.world ?? demo;
  const root = options.root ?? mkdtempSync(join(tmpdir(), 'test-idp-test-'));
  const configDirectory = join(root, 'config');
  mkdirSync(configDirectory, { recursive: true });
  if (options.root === undefined) {
    writeFiles(configDirectory, world, options);
    await writeKeys(join(root, 'keys'));
  }
  for (const [path, content] of Object.entries(options.files ?? {})) writeFileSync(join(root, path), content);
  const args = ['--config-dir', configDirectory, '--port', '0', ...(options.args ?? [])];
  const withStore: RunningIdp['withStore'] = async (use) => {
    const opened = await openTestStore({ kind: 'sqlite', path: join(root, 'state', 'runtime.db') });
    try {
      return await use(opened.store);
    } finally {
      await opened.close();
    }
  };
  const removeRoot = () => {
    if (options.root === undefined) rmSync(root, { recursive: true, force: true });
  };
  const { env, within, cli } = options;
  const idp = await spawnIdp([options.command ?? world.command, ...args], { env, within, cli }).catch((error) => {
    removeRoot();
    throw error;
  });
  return {
    ...idp,
    root,
    configDirectory,
    async configure(changes = {}) {
      writeFiles(configDirectory, world, changes);
      const { status, body } = await idp.api('POST', '/api/config/reload');
      if (status !== 200) throw new Error(`reload answered ${status}: ${JSON.stringify(body)}`);
    },
    async setClock(milliseconds) {
      const to = { by: 'offset', milliseconds } as const;
      const moved = await withStore(({ clock }) => clock.move({ to }, systemClock.now()));
      if (moved === 'out_of_range') throw new Error(`no clock can be ${milliseconds} ms ahead`);
    },
    withStore,
    async stop() {
      const code = await idp.stop();
      removeRoot();
      return code;
    },
  };
}

interface SpawnOptions {
  /** Added to the environment of the tests. undefined removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly cwd?: string;
  /** A command that runs the program given as its arguments in its own process. */
  readonly within?: readonly string[] | undefined;
  readonly cli?: string | undefined;
  /** User and group of the process, if the tests run as root. */
  readonly uid?: number | undefined;
}

/** A program whose files this module does not know. */
export type SpawnedIdp = Omit<RunningIdp, 'root' | 'configDirectory' | 'configure' | 'setClock' | 'withStore'>;

/** Starts the built command with these arguments, and waits until it is ready. */
export async function spawnIdp(args: readonly string[], options: SpawnOptions = {}): Promise<SpawnedIdp> {
  const [command = process.execPath, ...before] = [...(options.within ?? []), process.execPath];
  const child = spawn(command, [...before, ...programOf([...args, '--ready-json'], options.cli ?? cliPath)], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...options.env },
    cwd: options.cwd,
    ...(options.uid === undefined ? {} : { uid: options.uid, gid: options.uid }),
  });
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    log += chunk;
  });
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  const ready = await Promise.race([
    firstLine(child),
    exited.then((code) => {
      throw new Error(`test-idp ${args[0]} ended with exit code ${code} before it was ready:\n${log}`);
    }),
  ]);
  const { base_url, pid, mcp_url, ca_file, demo_url } = JSON.parse(ready) as {
    base_url: string;
    pid: number;
    mcp_url?: string;
    ca_file?: string;
    demo_url?: string;
  };
  // The standalone SAML front end has none of the declared routes except /health.
  if (args[0] !== 'saml') watchAnswers(base_url, exited);
  const api = apiClient({ baseUrl: base_url });
  const audit = async (filter = ''): Promise<readonly AuditView[]> =>
    (await api('GET', `/api/audit?limit=-1${filter}`)).body.entries;
  return {
    baseUrl: base_url,
    pid,
    mcpUrl: mcp_url,
    caFile: ca_file,
    demoUrl: demo_url,
    process: child,
    api,
    log: () => log,
    exited,
    audit,
    async audited(action) {
      await api('POST', '/api/audit/clear');
      await action();
      return audit();
    },
    async stop() {
      child.kill('SIGTERM');
      const force = setTimeout(() => child.kill('SIGKILL'), 15_000);
      const code = await exited;
      clearTimeout(force);
      return code;
    },
  };
}

let keysMadeOnce: Promise<readonly (readonly [name: string, content: Buffer])[]> | undefined;

async function writeKeys(directory: string): Promise<void> {
  keysMadeOnce ??= makeKeys();
  const files = await keysMadeOnce;
  mkdirSync(directory);
  for (const [name, content] of files) {
    writeFileSync(join(directory, name), content, { mode: name.includes('private') ? 0o600 : 0o644 });
  }
}

async function makeKeys() {
  const made = newKeysRoot();
  try {
    await openTestKeys(made);
    const names = readdirSync(made.keysDirectory);
    return names.map((name) => [name, readFileSync(join(made.keysDirectory, name))] as const);
  } finally {
    made.remove();
  }
}

function writeFiles(configDirectory: string, world: World, changes: Changes): void {
  const { settings, users } = world.files(changes);
  writeYaml(join(configDirectory, 'settings.yaml'), settings);
  writeYaml(join(configDirectory, 'users.yaml'), users);
}

function writeYaml(path: string, content: string | object): void {
  writeFileSync(path, typeof content === 'string' ? content : stringify(content));
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    if (child.stdout === null) throw new Error('standard output is not piped');
    createInterface({ input: child.stdout }).once('line', resolve);
  });
}
