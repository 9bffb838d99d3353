// What a terminal shows when the stack is ready, pasted and run, and what other outputs show (PKG-19 to PKG-23).
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect } from 'chai';
import { stringify } from 'yaml';
import { firstScreen, publishedDemoValues, takesColours } from '#cli/first-screen.ts';
import { starterFiles } from '#cli/starter-files.ts';
import { problemsOfFault } from '#shared/engine/faults/read-fault-order.ts';
import { loadConfiguration } from '#shared/state/configuration/load/load-configuration.ts';
import { toolOrSkip } from '#test/support/debian-programs.ts';
import { until } from '#test/support/stack.ts';
import { cliPath, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';

interface Files {
  readonly settings?: string | object;
  readonly users?: string | object;
}

/** The first screen with these files, at an address. */
function screenOf(files: Files, baseUrl = 'http://127.0.0.1:8000'): string {
  const text = (value: string | object | undefined) => (typeof value === 'object' ? stringify(value) : value);
  const texts = { settings: text(files.settings), users: text(files.users) };
  const { configuration: declared } = loadConfiguration(texts, {
    directory: '/nowhere',
    environment: {},
    problemsOfFault,
  });
  const urls = { baseUrl, mcpUrl: 'http://127.0.0.1:8001/mcp' };
  return firstScreen({ version: '3.4.0', urls, declared, colours: false });
}

const commandOf = (screen: string) => /^ {2}(curl .*)$/m.exec(screen)?.[1] ?? '';

const paste = (command: string) => spawnSync('sh', ['-c', command], { encoding: 'utf8' });

const withClient = (client: object) => ({ oauth: { issuer: 'http://127.0.0.1:8000', clients: [client] } });

describe('the first screen', function () {
  this.timeout(60_000);

  verifies('PKG-19', 'shows everything that a user needs in 16 lines of 100 columns', () => {
    expect(screenOf({ settings: starterFiles['settings.yaml'], users: starterFiles['users.yaml'] })).to.equal(
      `test-idp 3.4.0 is ready: http://127.0.0.1:8000

  Discovery      http://127.0.0.1:8000/.well-known/openid-configuration
  Web UI         http://127.0.0.1:8000/
  SAML metadata  http://127.0.0.1:8000/saml/metadata
  MCP            http://127.0.0.1:8001/mcp
  Client         demo-client, secret demo-secret
  User           admin, password admin

  curl -u demo-client:demo-secret -d grant_type=client_credentials http://127.0.0.1:8000/token

Stop with Ctrl-C.
`,
    );
  });

  it('names the demo if one runs', () => {
    const urls = { baseUrl: 'http://127.0.0.1:8000', demoUrl: 'http://127.0.0.1:9000' };
    const screen = firstScreen({ version: '3.4.0', urls, declared: undefined, colours: false });
    expect(screen).to.include('\n  Demonstration  http://127.0.0.1:9000\n');
  });

  verifies('PKG-19', 'stays within its limits with names of any length and kind', () => {
    const long = 'x'.repeat(300);
    const screen = screenOf({
      settings: withClient({ client_id: long, client_secret: 'demo-secret' }),
      users: { users: { [`\u001b[31m${long}`]: { password: 'somebody’s own' } } },
    });
    const lines = screen.trimEnd().split('\n');
    expect(lines.length).to.be.at.most(16);
    expect(Math.max(...lines.map(({ length }) => length))).to.be.at.most(100);
    expect(screen).not.to.include('\u001b');
  });

  verifies('PKG-21', 'prints only the published secrets, which are those of the starter files', () => {
    for (const value of publishedDemoValues) {
      expect(Object.values(starterFiles).join('\n')).to.match(new RegExp(`(?:client_secret|password): ${value}\n`));
    }
    const screen = screenOf({
      settings: withClient({ client_id: 'shop', client_secret: 'shop-owners-own' }),
      users: { users: { eve: { password: 'eves-own' }, mallory: {} } },
    });
    expect(screen).not.to.match(/-own/);
    expect(screen).to.include('Client         shop, secret from the configuration');
    expect(screen).to.include('User           eve, password from the configuration');
    expect(commandOf(screen)).to.equal('curl -u shop -d grant_type=client_credentials http://127.0.0.1:8000/token');
  });

  verifies(
    ['PKG-19', 'PKG-21'],
    'fetches discovery if no client has a secret for it, and names the first client',
    () => {
      const clients: readonly (readonly [object, string])[] = [
        [{ client_id: 'spa', token_endpoint_auth_method: 'none' }, 'spa, without secret'],
        // The secret would be in the form, the line would be too long, and curl could not prompt for it.
        [
          { client_id: 'post', client_secret: 'demo-post-secret', token_endpoint_auth_method: 'client_secret_post' },
          'post, secret demo-post-secret',
        ],
      ];
      for (const [client, named] of clients) {
        const screen = screenOf({ settings: withClient(client) });
        expect(commandOf(screen)).to.equal('curl http://127.0.0.1:8000/.well-known/openid-configuration');
        expect(screen).to.include(`\n  Client         ${named}\n`);
      }
      const nobody = screenOf({ settings: { oauth: { issuer: 'http://127.0.0.1:8000', clients: [] } } });
      expect(nobody).not.to.include('Client');
    },
  );

  verifies(['PKG-20', 'PKG-22'], 'names a command that works with any profile and files', async () => {
    const odd = { client_id: 'a b$(c)', client_secret: 'demo-secret', redirect_uris: ['http://127.0.0.1:9/cb'] };
    const settings = { ...withClient(odd), require_ui_login: true };
    for (const args of [[], ['--profile', 'oauth21'], ['--profile', 'stricter-dev']]) {
      const idp = await startIdp({ command: 'oidc', settings, args });
      try {
        const { status, stdout } = paste(commandOf(screenOf({ settings }, idp.baseUrl)));
        expect(status).to.equal(0);
        expect(JSON.parse(stdout), `${args}`).to.include.keys('access_token', 'token_type', 'expires_in');
      } finally {
        await idp.stop();
      }
    }
  });

  verifies(['PKG-19', 'PKG-20'], 'names the authority that curl must trust', async () => {
    const settings = withClient({ client_id: 'shop', client_secret: 'demo-secret' });
    const idp = await startIdp({ command: 'oidc', settings, args: ['--tls'] });
    try {
      const { configuration: declared } = loadConfiguration(
        { settings: stringify(settings), users: undefined },
        { directory: '/nowhere', environment: {}, problemsOfFault },
      );
      const caFile = join(idp.root, 'keys', 'tls-ca.pem');
      const screen = firstScreen({
        version: '3.4.0',
        urls: { baseUrl: idp.baseUrl, caFile },
        declared,
        colours: false,
      });
      const [command = ''] = /^ {2}curl [\s\S]*?[^\\]$/m.exec(screen) ?? [];
      const { status, stdout, stderr } = paste(command);
      expect([status, stderr.includes('certificate')], command).to.deep.equal([0, false]);
      expect(JSON.parse(stdout)).to.include.keys('access_token');
      expect(screen.trimEnd().split('\n').length).to.be.at.most(16);
    } finally {
      await idp.stop();
    }
  });

  it('lets curl prompt for a secret that is not published', async function () {
    const script = toolOrSkip(this, 'script', 'bsdutils');
    const settings = withClient({ client_id: 'shop', client_secret: 'shop-owners-own' });
    const idp = await startIdp({ command: 'oidc', settings });
    try {
      const command = commandOf(screenOf({ settings }, idp.baseUrl));
      const child = spawn(script, ['-qec', command, '/dev/null'], { stdio: ['pipe', 'pipe', 'ignore'] });
      let out = '';
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
        out += chunk;
        if (/password for user 'shop':$/.test(out)) child.stdin.write('shop-owners-own\n');
      });
      await until('the token is there', () => out.includes('"access_token"'));
      child.kill();
    } finally {
      await idp.stop();
    }
  });
});

describe('the announcement', function () {
  this.timeout(60_000);
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'test-idp-screen-'));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  /** The output of a start in a terminal, until it is complete. `use` runs while the stack runs. */
  async function inTerminal(
    context: Mocha.Context,
    args: readonly string[],
    env: Readonly<Record<string, string>>,
    last: string,
    use: (shown: string) => void = () => {},
  ): Promise<string> {
    const script = toolOrSkip(context, 'script', 'bsdutils');
    const command = `exec '${process.execPath}' '${cliPath}' start --port 0 ${args.join(' ')} 2>/dev/null`;
    const child = spawn(script, ['-qec', command, '/dev/null'], {
      cwd: directory,
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, TERM: 'xterm', NO_COLOR: '', ...env },
    });
    const ended = new Promise((resolve) => child.once('close', resolve));
    let shown = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      shown += chunk;
    });
    await until('the announcement is complete', () => shown.includes(last));
    shown = shown.replaceAll('\r\n', '\n');
    use(shown);
    // What a terminal sends for Ctrl-C.
    child.stdin.write('\u0003');
    await ended;
    return shown;
  }

  verifies(
    ['PKG-19', 'PKG-20'],
    'is the first screen in a terminal, with a command that prints a token',
    async function () {
      const shown = await inTerminal(this, [], {}, 'Stop with Ctrl-C.', (screen) => {
        const { status, stdout } = paste(commandOf(stripVTControlCharacters(screen)));
        expect(status).to.equal(0);
        expect(JSON.parse(stdout)).to.include({ token_type: 'Bearer' });
      });
      expect(shown).to.include('\u001b[1m');
      const baseUrl = /is ready: (\S+)/.exec(stripVTControlCharacters(shown))?.[1];
      expect(shown)
        .to.include(`${baseUrl}/saml/metadata`)
        .and.to.match(/MCP +http:\/\/127\.0\.0\.1:\d+\/mcp/);
    },
  );

  verifies('PKG-23', 'has no colours if they are disabled', async function () {
    expect(await inTerminal(this, [], { NO_COLOR: '1' }, 'Stop with Ctrl-C.')).not.to.include('\u001b');
    expect([takesColours({}), takesColours({ TERM: 'dumb' }), takesColours({ NO_COLOR: '1' })]).to.deep.equal([
      ...[true, false, false],
    ]);
  });

  verifies('PKG-23', 'is one line with --quiet, and one line without a terminal', async function () {
    const line =
      /^test-idp is ready: http:\/\/127\.0\.0\.1:\d+, MCP at http:\/\/127\.0\.0\.1:\d+\/mcp \(stop with Ctrl-C\)\n/;
    expect(await inTerminal(this, ['--quiet'], {}, 'Ctrl-C)\r\n')).to.match(line);
    const child = spawn(process.execPath, [cliPath, 'start', '--port', '0'], {
      cwd: directory,
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { ...process.env, FORCE_COLOR: '1' },
    });
    let out = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      out += chunk;
    });
    const ended = new Promise((resolve) => child.once('close', resolve));
    await until('it is ready', () => out.includes('\n'));
    child.kill('SIGTERM');
    await ended;
    expect(out).to.match(new RegExp(`${line.source}$`));
  });
});
