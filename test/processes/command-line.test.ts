// The command line as users type it: help, options, exit codes, and invalid input that ends with one line.

import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { stringify } from 'yaml';
import { sentences } from '#test/support/sentences.ts';
import { cliPath } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { demoSettings, demoUsers } from '#test/support/worlds.ts';

interface Outcome {
  readonly code: number | null;
  readonly out: string;
  readonly error: string;
}

/** Resolves when no process holds the output any more. Workers share it, so no worker is left running (CLI-10). */
function run(args: readonly string[], options: { env?: Record<string, string>; cwd?: string } = {}): Promise<Outcome> {
  const env = { ...process.env, ...options.env };
  const child = spawn(process.execPath, [cliPath, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env,
    cwd: options.cwd,
  });
  let out = '';
  let error = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    out += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    error += chunk;
  });
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, out, error })));
}

const commands = ['start', 'oidc', 'saml', 'mcp', 'validate-config', 'config-schema', 'init', 'token', 'health'];

describe('the command line', function () {
  this.timeout(60_000);
  verifies('CLI-01', 'names every command in its help', async () => {
    const { code, out, error } = await run(['--help']);
    expect({ code, error }).to.deep.equal({ code: 0, error: '' });
    for (const command of commands) expect(out).to.match(new RegExp(`^  ${command} +\\S`, 'm'));
  });

  for (const command of commands) {
    verifies('CLI-01', `explains ${command} with an example`, async () => {
      const { code, out, error } = await run([command, '--help']);
      expect({ code, error }).to.deep.equal({ code: 0, error: '' });
      expect(out).to.match(new RegExp(`^Usage: test-idp ${command}\\b`));
      expect(out).to.match(/^Example/m);
    });
  }

  const process = ['--config-dir', '--profile', '--strict-config', '--log-level'];
  const listening = ['--host', '--port', '--tls', ...process, '--ready-json', '--ready-file'];
  const explained: Readonly<Record<string, readonly string[]>> = {
    start: [
      ...listening,
      '--oidc-workers',
      '--mcp-port',
      '--declare',
      '--demo',
      '--quiet',
      'IDP_MANAGEMENT_SECRET',
      'IDP_DEFAULT_HOST',
      'IDP_DEFAULT_MCP_PORT',
    ],
    oidc: [...listening, 'IDP_MANAGEMENT_SECRET'],
    saml: listening,
    mcp: [...process, '--readonly', 'IDP_MANAGEMENT_SECRET', 'IDP_MCP_READONLY'],
    'validate-config': ['--config-dir', '--strict', '--lines', '--json'],
    'config-schema': ['--file'],
    init: ['--config-dir'],
    ca: ['--config-dir', '--path'],
    token: [
      ...['--url', '--config-dir', '--client', '--user', '--claims', '--exp', '--scope', '--resource'],
      ...['--audience', '--set-claims', '--remove-claims', '--json'],
      ...['IDP_URL', 'IDP_MANAGEMENT_SECRET'],
    ],
    health: ['--url', '--config-dir', '--timeout', 'IDP_URL'],
  };
  for (const [command, names] of Object.entries(explained)) {
    verifies('CLI-01', `explains every option and variable of ${command}`, async () => {
      const { out } = await run([command, '--help']);
      expect(Array.from(out.matchAll(/^ {2}(--[\w-]+|IDP_\w+(?=(?:=\w+)? {2}))/gm), ([, name]) => name)).to.deep.equal(
        names,
      );
    });
  }

  verifies('CLI-01', 'explains a command for every form of the help option', async () => {
    const asked = await run(['start', '--help']);
    for (const args of [
      ['start', '-h'],
      ['help', 'start'],
      ['--help', 'start'],
      ['start', '--port', '1', '-h', '--no-such'],
    ]) {
      expect(await run(args), args.join(' ')).to.deep.equal(asked);
    }
    const { out } = await run(['--help']);
    for (const args of [['-h'], ['help']]) expect((await run(args)).out).to.equal(out);
  });

  verifies('CLI-01', 'accepts a value after an equals sign, and no option after --', async () => {
    const root = mkdtempSync(join(tmpdir(), 'test-idp-options-'));
    try {
      const made = await run(['init', '--', '-h'], { cwd: root });
      expect([made.code, made.error, readdirSync(join(root, '-h')).sort()]).to.deep.equal([
        0,
        '',
        ['settings.yaml', 'users.yaml'],
      ]);
      for (const option of ['--config-dir', '--config']) {
        const { code, out } = await run(['validate-config', `${option}=${join(root, '-h')}`, '--strict']);
        expect([code, out.split('\n')[0]]).to.deep.equal([0, `Configuration in ${join(root, '-h')}`]);
      }
    } finally {
      rmSync(root, { recursive: true });
    }
  });

  verifies('CLI-01', 'prints the version', async () => {
    expect(await run(['--version'])).to.deep.equal({ code: 0, out: '3.4.0\n', error: '' });
    expect(await run(['start', '--version'])).to.deep.equal({ code: 0, out: '3.4.0\n', error: '' });
  });

  const misuse: readonly [string, readonly string[], string][] = [
    ['no command', [], 'test-idp: The command is missing.\nUsage: test-idp <command>'],
    ['an unknown command', ['serve'], 'test-idp: Unknown command "serve". Known: '],
    ['an inherited name', ['toString'], 'test-idp: Unknown command "toString".'],
    ['a command with a slip', ['strat'], 'test-idp: Unknown command "strat". Did you mean "start"?\n'],
    ['a version asked for as a command', ['version'], 'test-idp: Unknown command "version". Did you mean "--version"?'],
    ['an option with a slip', ['start', '--prot', '1'], 'test-idp: Unknown option "--prot". Did you mean "--port"?\n'],
    [
      'an option of init with a slip',
      ['init', '--confg-dir=x'],
      'test-idp: Unknown option "--confg-dir". Did you mean "--config-dir"?\n',
    ],
    ['an unknown option', ['--serve'], 'test-idp: Unknown option "--serve". Known: '],
    ['an unknown option of a command', ['start', '--serve'], 'test-idp: Unknown option "--serve".'],
    ['another command’s option', ['oidc', '--oidc-workers', '2'], 'test-idp: Unknown option "--oidc-workers".'],
    ['an argument too many', ['saml', 'now'], "test-idp: Unexpected argument 'now'"],
    ['a missing value', ['start', '--config-dir'], "test-idp: Option '--config-dir"],
    [
      'an empty directory',
      ['start', '--config-dir', ''],
      'test-idp: --config-dir must be a directory\nUsage: test-idp start',
    ],
    ['an empty value', ['start', '--port='], sentences.portInvalid],
    [
      'a value for a switch',
      ['start', '--ready-json=yes'],
      "test-idp: Option '--ready-json' does not take an argument",
    ],
    ['a URL as host', ['start', '--host', 'http://[::1]'], sentences.hostInvalid],
    [
      'a host in brackets',
      ['oidc', '--host', '[::1]'],
      "test-idp: --host must be an address such as 127.0.0.1 or ::1, not '[::1]'",
    ],
    ['a host with a port', ['saml', '--host', 'localhost:80'], sentences.hostInvalid],
    ['help about nothing', ['help', 'serve'], 'test-idp: Unknown command "serve".'],
    ['two directories', ['init', 'a', '--config-dir', 'b'], 'test-idp: init accepts only one directory'],
    ['a directory without a name', ['init', ''], 'test-idp: The directory of init must not be empty'],
    ['a port that is none', ['start', '--port', '80a'], sentences.portInvalid],
    ['a port beyond the last', ['oidc', '--port', '65536'], 'test-idp: --port must be a port from 0'],
    ['an MCP port that is none', ['start', '--mcp-port', '-1'], 'test-idp: '],
    ['no workers', ['start', '--oidc-workers', '0'], 'test-idp: --oidc-workers must be a number from 1 to 64, or auto'],
    [
      'an unknown profile',
      ['saml', '--profile', 'prod'],
      'test-idp: --profile must be one of dev, stricter-dev, oauth21',
    ],
    ['claims that are none', ['token', '--claims', '[1]'], 'test-idp: --claims must be a JSON object'],
    [
      'an instance that is no URL',
      ['token', '--url', 'localhost:8000'],
      'test-idp: --url must be the URL of an instance',
    ],
    ['a time that is none', ['health', '--timeout', 'soon'], 'test-idp: --timeout must be seconds'],
    ['an unknown level', ['mcp', '--log-level', 'loud'], 'test-idp: --log-level must be one of DEBUG, INFO, WARNING'],
  ];
  for (const [what, args, beginning] of misuse) {
    verifies(['CLI-01', 'CLI-09'], `rejects ${what} with usage on standard error`, async () => {
      const { code, out, error } = await run(args, { cwd: tmpdir() });
      expect({ code, out }).to.deep.equal({ code: 1, out: '' });
      expect(error.slice(0, beginning.length)).to.equal(beginning);
      expect(error)
        .to.match(/^Usage: test-idp /m)
        .and.to.match(/--help\.\n$/);
    });
  }
});

describe('a start with invalid input', function () {
  this.timeout(60_000);
  let root: string;
  let config: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'test-idp-bad-'));
    config = join(root, 'config');
    mkdirSync(config);
    write('settings.yaml', demoSettings);
    write('users.yaml', demoUsers);
  });
  afterEach(() => {
    chmodSync(root, 0o700);
    rmSync(root, { recursive: true, force: true });
  });

  const write = (name: string, content: string | object) =>
    writeFileSync(join(config, name), typeof content === 'string' ? content : stringify(content));

  /** Expects exit code 1 and one plain line, and returns that line. JSON log lines may precede it. */
  async function refusedStart(...args: string[]): Promise<string> {
    const { code, out, error } = await run(['start', '--config-dir', config, '--port', '0', ...args]);
    expect({ code, out }, error).to.deep.equal({ code: 1, out: '' });
    const lines = error
      .trim()
      .split('\n')
      .filter((line) => !line.startsWith('{'));
    expect(lines, error).to.have.length(1);
    expect(error).not.to.match(/\n\s+at /);
    return lines[0] ?? '';
  }

  const nothingMade = () => expect(readdirSync(root)).to.deep.equal(['config']);

  verifies(['CLI-09', 'SUP-07'], 'rejects broken YAML', async () => {
    write('settings.yaml', 'oauth: {issuer: "http://127.0.0.1:8000"\nserver: [');
    expect(await refusedStart()).to.match(/^test-idp: (?:oidc|saml): .*settings\.yaml/);
    nothingMade();
  });

  verifies(['CLI-08', 'CLI-09', 'SUP-07'], 'rejects an unknown key in strict mode', async () => {
    write('settings.yaml', { ...demoSettings, oauht: 1 });
    expect(await refusedStart('--strict-config')).to.match(/settings\.yaml.*oauht/);
    nothingMade();
  });

  verifies(['CLI-09', 'SUP-07'], 'rejects a keys directory that cannot be written', async () => {
    // Root can write everywhere, so for root a file blocks the directory.
    if (process.getuid?.() === 0) writeFileSync(join(root, 'keys'), '');
    else chmodSync(root, 0o500);
    const line = await refusedStart();
    expect(line).to.include(join(root, 'keys'));
    expect(line).to.match(/jwt\.keys_dir/);
  });

  verifies(['CLI-09', 'SUP-07'], 'rejects a keys directory that is a file', async () => {
    writeFileSync(join(root, 'keys'), '');
    expect(await refusedStart()).to.match(/jwt\.keys_dir: \S+ is not a directory\. Create it, or name another/);
  });

  verifies(['CLI-09', 'SUP-07'], 'rejects a store path that is a directory', async () => {
    mkdirSync(join(root, 'state.db'));
    write('settings.yaml', { ...demoSettings, runtime: { store: 'sqlite', path: '../state.db' } });
    const line = await refusedStart();
    expect(line).to.include(join(root, 'state.db'));
    expect(line).to.match(/runtime\.path/);
    expect(readdirSync(join(root, 'state.db'))).to.deep.equal([]);
    expect(existsSync(join(root, 'state-audit.db'))).to.equal(false);
  });

  for (const command of ['start', 'oidc', 'saml']) {
    verifies(['CLI-10', 'CLI-09'], `rejects ${command} on an address in use`, async () => {
      const occupant = createServer();
      await new Promise<void>((resolve) => occupant.listen(0, '127.0.0.1', resolve));
      const address = occupant.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      try {
        const { code, out, error } = await run([command, '--config-dir', config, '--port', String(port)]);
        expect({ code, out }).to.deep.equal({ code: 1, out: '' });
        const lines = error
          .trim()
          .split('\n')
          .filter((line) => !line.startsWith('{'));
        expect(lines).to.have.length(1);
        expect(lines[0]).to.match(new RegExp(`127\\.0\\.0\\.1:${port} is in use.*--port`));
      } finally {
        await new Promise((resolve) => occupant.close(resolve));
      }
    });
  }

  for (const command of ['oidc', 'saml']) {
    verifies(['CLI-10', 'SUP-09'], `closes the store of ${command} on an address in use`, async () => {
      write('settings.yaml', { ...demoSettings, runtime: { store: 'sqlite', path: '../state.db' } });
      const occupant = createServer();
      await new Promise<void>((resolve) => occupant.listen(0, '127.0.0.1', resolve));
      const address = occupant.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      try {
        expect((await run([command, '--config-dir', config, '--port', String(port)])).code).to.equal(1);
        const files = readdirSync(root).filter((name) => name.startsWith('state'));
        expect(files.sort()).to.deep.equal(['state-audit.db', 'state-owners', 'state.db']);
      } finally {
        await new Promise((resolve) => occupant.close(resolve));
      }
    });
  }

  verifies('CLI-10', 'names the option --mcp-port for an MCP port in use', async () => {
    const occupant = createServer();
    await new Promise<void>((resolve) => occupant.listen(0, '127.0.0.1', resolve));
    const address = occupant.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    try {
      expect(await refusedStart('--mcp-port', String(port))).to.match(
        new RegExp(`127\\.0\\.0\\.1:${port} is in use.*--mcp-port`),
      );
    } finally {
      await new Promise((resolve) => occupant.close(resolve));
    }
  });
});
