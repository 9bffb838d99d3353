// Starts the built program as its user does and waits until it says that it is ready. Every instance gets a temporary
// configuration directory of its own, a free port and a keys directory beside it; `stop` ends it and removes all of it.
// The keys were drawn once for all instances of this test process, since drawing them is a quarter of a start.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { newKeysRoot, openTestKeys } from './test-keys.ts';

/** The built command; TEST_IDP_CLI names another build, so that one can be tested while `dist/` is made anew. */
export const cliPath = process.env.TEST_IDP_CLI ?? fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

export interface StartOptions {
  /** `start` (default), or one worker alone. */
  readonly command?: 'start' | 'oidc' | 'saml';
  /** Content of settings.yaml: YAML text, or a value to be written as YAML. undefined: the demo settings below. */
  readonly settings?: string | object | undefined;
  readonly users?: string | object | undefined;
  /** Further files by their path under the root, written before the start. */
  readonly files?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** A directory made before, whose files are left as they are; it is not removed by stop. */
  readonly root?: string;
}

export interface RunningIdp {
  readonly baseUrl: string;
  readonly pid: number;
  readonly mcpUrl: string | undefined;
  /** The directory that holds config/ and keys/. */
  readonly root: string;
  readonly configDirectory: string;
  readonly process: ChildProcess;
  /** What it wrote to standard error so far. */
  log(): string;
  /** SIGTERM, and SIGKILL after 15 s; answers the exit code. */
  stop(): Promise<number | null>;
  /** Resolves with the exit code when it ends by itself. */
  readonly exited: Promise<number | null>;
}

export const demoSettings = {
  oauth: {
    issuer: 'http://127.0.0.1:8000',
    issuer_from_request: true,
    clients: [
      { client_id: 'web', client_secret: 'web-secret', redirect_uris: ['http://127.0.0.1:9/callback'] },
      {
        client_id: 'post',
        client_secret: 'post-secret',
        token_endpoint_auth_method: 'client_secret_post',
        redirect_uris: ['http://127.0.0.1:9/callback'],
      },
      { client_id: 'spa', token_endpoint_auth_method: 'none', redirect_uris: ['http://127.0.0.1:9/callback'] },
    ],
  },
};

export const demoUsers = {
  users: {
    alice: { password: 'wonderland', email: 'alice@example.org', roles: ['USER', 'ADMIN'], groups: ['staff'] },
    bob: { password: 'builder' },
  },
};

export async function startIdp(options: StartOptions = {}): Promise<RunningIdp> {
  const root = options.root ?? mkdtempSync(join(tmpdir(), 'test-idp-test-'));
  const configDirectory = join(root, 'config');
  mkdirSync(configDirectory, { recursive: true });
  if (options.root === undefined) {
    writeYaml(join(configDirectory, 'settings.yaml'), options.settings ?? demoSettings);
    writeYaml(join(configDirectory, 'users.yaml'), options.users ?? demoUsers);
    await writeKeys(join(root, 'keys'));
  }
  for (const [path, content] of Object.entries(options.files ?? {})) writeFileSync(join(root, path), content);
  const args = ['--config-dir', configDirectory, '--port', '0', ...(options.args ?? [])];
  const idp = await spawnIdp([options.command ?? 'start', ...args], { env: options.env });
  return {
    ...idp,
    root,
    configDirectory,
    async stop() {
      const code = await idp.stop();
      if (options.root === undefined) rmSync(root, { recursive: true, force: true });
      return code;
    },
  };
}

export interface SpawnOptions {
  /** Added to the environment of the tests; undefined takes a variable out. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly cwd?: string;
  /** User and group of the process, where the tests run as root. */
  readonly uid?: number | undefined;
}

export type SpawnedIdp = Omit<RunningIdp, 'root' | 'configDirectory'>;

/** Starts the built command as it is told to, and waits until it is ready. */
export async function spawnIdp(args: readonly string[], options: SpawnOptions = {}): Promise<SpawnedIdp> {
  const child = spawn(process.execPath, [cliPath, ...args, '--ready-json'], {
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
  const { base_url, pid, mcp_url } = JSON.parse(ready) as { base_url: string; pid: number; mcp_url?: string };
  return {
    baseUrl: base_url,
    pid,
    mcpUrl: mcp_url,
    process: child,
    log: () => log,
    exited,
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

function writeYaml(path: string, content: string | object): void {
  writeFileSync(path, typeof content === 'string' ? content : stringify(content));
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    if (child.stdout === null) throw new Error('standard output is not piped');
    createInterface({ input: child.stdout }).once('line', resolve);
  });
}
