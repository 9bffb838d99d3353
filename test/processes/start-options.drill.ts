// What the options of a start change in the running program: directory, address, workers, profile, log and ready line.

import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import { stringify } from 'yaml';
import { web } from '#test/support/credentials.ts';
import { freePort } from '#test/support/free-port.ts';
import { postForm } from '#test/support/http.ts';
import { listeningPorts, workersOf } from '#test/support/stack.ts';
import { cliPath, type RunningIdp, type StartOptions, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { demoSettings, demoUsers } from '#test/support/worlds.ts';

async function withIdp<Result>(options: StartOptions, body: (idp: RunningIdp) => Promise<Result>): Promise<Result> {
  const idp = await startIdp(options);
  try {
    return await body(idp);
  } finally {
    await idp.stop();
  }
}

const status = async (url: string) => (await fetch(url, { redirect: 'manual' })).status;

interface Started {
  readonly firstLine: string;
  stop(): Promise<number | null>;
}

/** Starts the program in a directory, as a user would, and waits for its first line on standard output. */
async function startIn(cwd: string, args: readonly string[], env: Record<string, string> = {}): Promise<Started> {
  const { IDP_CONFIG_DIR: _, ...inherited } = process.env;
  const child = spawn(process.execPath, [cliPath, ...args], {
    cwd,
    env: { ...inherited, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const firstLine = await new Promise<string>((resolve) => {
    createInterface({ input: child.stdout })
      .once('line', resolve)
      .once('close', () => resolve(''));
  });
  return {
    firstLine,
    stop() {
      child.kill('SIGTERM');
      return exited;
    },
  };
}

describe('the configuration directory', () => {
  let root: string;
  before(() => {
    root = mkdtempSync(join(tmpdir(), 'test-idp-where-'));
    for (const name of ['option', 'environment', 'config']) {
      mkdirSync(join(root, name));
      writeFileSync(join(root, name, 'settings.yaml'), stringify({ oauth: { issuer: `http://${name}.example` } }));
      writeFileSync(join(root, name, 'users.yaml'), stringify(demoUsers));
    }
  });
  after(() => rmSync(root, { recursive: true, force: true }));

  const cases: readonly [string, readonly string[], Record<string, string>, string][] = [
    ['the option before the environment', ['--config-dir', 'option'], { IDP_CONFIG_DIR: 'environment' }, 'option'],
    ['the environment before ./config', [], { IDP_CONFIG_DIR: 'environment' }, 'environment'],
    ['./config when nothing is said', [], {}, 'config'],
  ];
  for (const [what, args, env, expected] of cases) {
    verifies('CLI-02', what, async () => {
      const { firstLine, stop } = await startIn(root, ['oidc', '--port', '0', '--ready-json', ...args], env);
      const { base_url } = JSON.parse(firstLine) as { base_url: string };
      const discovery = await (await fetch(`${base_url}/.well-known/openid-configuration`)).json();
      expect(discovery).to.include({ issuer: `http://${expected}.example` });
      expect(await stop()).to.equal(0);
    });
  }
});

describe('the address', () => {
  verifies('CLI-03', 'comes from the files unless options name another', async () => {
    const [declared, asked] = [await freePort(), await freePort()];
    const root = mkdtempSync(join(tmpdir(), 'test-idp-address-'));
    mkdirSync(join(root, 'config'));
    const settings = { ...demoSettings, server: { host: '127.0.0.1', port: declared } };
    writeFileSync(join(root, 'config', 'settings.yaml'), stringify(settings));
    try {
      for (const [args, expected] of [
        [[], `http://127.0.0.1:${declared}`],
        [['--port', String(asked), '--host', '127.0.0.2'], `http://127.0.0.2:${asked}`],
      ] as const) {
        for (const command of ['start', 'oidc']) {
          const { firstLine, stop } = await startIn(root, [command, '--ready-json', ...args]);
          expect(JSON.parse(firstLine)).to.include({ base_url: expected });
          expect(await status(`${expected}/api/health`)).to.equal(200);
          expect(await stop()).to.equal(0);
        }
      }
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  });

  for (const command of ['start', 'oidc', 'saml'] as const) {
    verifies('CLI-03', `beyond loopback causes a warning of ${command}`, async () => {
      await withIdp({ command, args: ['--host', '0.0.0.0'] }, async ({ baseUrl, log }) => {
        expect(baseUrl).to.match(/^http:\/\/127\.0\.0\.1:\d+$/);
        const warnings = log()
          .split('\n')
          .filter((line) => line.includes('"level":40') && line.includes('0.0.0.0'));
        expect(warnings, log()).to.have.length(1);
      });
    });
  }
});

describe('a stack', () => {
  verifies('CLI-04', 'has as many OIDC front ends as requested, and MCP on its port', async () => {
    const mcpPort = await freePort();
    await withIdp({ args: ['--oidc-workers', '3', '--mcp-port', String(mcpPort)] }, async (idp) => {
      const workers = workersOf(idp.pid);
      expect(workers.map(({ name }) => name).sort()).to.deep.equal(['mcp', 'oidc', 'oidc', 'oidc', 'saml']);
      expect(idp.mcpUrl).to.equal(`http://127.0.0.1:${mcpPort}/mcp`);
      expect(workers.filter(({ name }) => name === 'mcp').flatMap(({ pid }) => listeningPorts(pid))).to.deep.equal([
        mcpPort,
      ]);
    });
  });

  verifies(['CLI-04', 'CLI-06', 'CLI-03'], 'has one OIDC front end by default, and one line of JSON', async () => {
    await withIdp({}, async (idp) => {
      expect(workersOf(idp.pid).map(({ name }) => name)).to.have.members(['oidc', 'saml', 'mcp']);
      expect(idp.pid).to.equal(idp.process.pid);
      expect(await status(`${idp.baseUrl}/api/health`)).to.equal(200);
      expect(await status(`${idp.baseUrl}/saml/metadata`)).to.equal(200);
      // This is not an MCP request, but the server at that address responds.
      expect(await status(idp.mcpUrl ?? '')).to.be.within(400, 499);
      expect(idp.log(), 'loopback is no reason for a warning').not.to.match(/loopback/);
    });
  });

  verifies('CLI-04', 'has an OIDC front end for each core with auto', async () => {
    await withIdp({ args: ['--oidc-workers', 'auto'] }, async (idp) => {
      expect(workersOf(idp.pid).filter(({ name }) => name === 'oidc')).to.have.length(availableParallelism());
    });
  });

  verifies('CLI-06', 'prints one line with the URLs for people', async () => {
    const root = mkdtempSync(join(tmpdir(), 'test-idp-person-'));
    mkdirSync(join(root, 'config'));
    try {
      const { firstLine, stop } = await startIn(root, ['start', '--port', '0']);
      expect(firstLine).to.match(
        /^test-idp is ready: http:\/\/127\.0\.0\.1:\d+, MCP at http:\/\/127\.0\.0\.1:\d+\/mcp\b/,
      );
      expect(await stop()).to.equal(0);
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  });
});

describe('a standalone worker', () => {
  const onlyOidc = ['/.well-known/openid-configuration', '/.well-known/jwks.json', '/api/users', '/login'];
  const both = ['/health', '/api/health'];

  verifies('CLI-05', 'answers everything but SAML as oidc', async () => {
    await withIdp({ command: 'oidc' }, async ({ baseUrl, mcpUrl }) => {
      for (const path of [...both, ...onlyOidc]) expect(await status(baseUrl + path), path).to.equal(200);
      for (const path of ['/saml/metadata', '/saml/sso', '/saml'])
        expect(await status(baseUrl + path), path).to.equal(404);
      expect(mcpUrl).to.equal(undefined);
    });
  });

  verifies('CLI-05', 'answers SAML, health and the static files of its pages as saml', async () => {
    await withIdp({ command: 'saml' }, async ({ baseUrl }) => {
      for (const path of [...both, '/saml/metadata', '/saml/cert.pem']) {
        expect(await status(baseUrl + path), path).to.equal(200);
      }
      for (const path of [...onlyOidc, '/token', '/authorize'])
        expect(await status(baseUrl + path), path).to.equal(404);
    });
  });

  verifies('CLI-05', 'uses standard input and output and listens on no port as mcp', async () => {
    await withIdp({ command: 'oidc' }, async ({ configDirectory }) => {
      const args = [cliPath, 'mcp', '--config-dir', configDirectory];
      const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'ignore'] });
      const ended = new Promise((resolve) => child.once('exit', resolve));
      try {
        const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
        child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
        const line = await new Promise<string>((resolve) => {
          createInterface({ input: child.stdout }).once('line', resolve);
        });
        expect(JSON.parse(line).result.serverInfo).to.include({ name: 'test-idp', version: '3.4.0' });
        expect(listeningPorts(child.pid ?? 0)).to.deep.equal([]);
      } finally {
        child.stdin.end();
        expect(await ended).to.equal(0);
      }
    });
  });
});

/** Runs a command on a pseudo-terminal until its output matches, and returns the output. */
function onTerminal(command: string, until: RegExp): Promise<string> {
  const child = spawn('script', ['-qec', command, '/dev/null'], { stdio: ['ignore', 'pipe', 'ignore'] });
  let shown = '';
  return new Promise((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      shown += chunk;
      if (until.test(shown)) child.kill('SIGTERM');
    });
    child.once('close', () => resolve(shown));
  });
}

describe('the log', () => {
  verifies('CLI-07', 'has JSON lines on standard error, and prefers --log-level over logging.level', async () => {
    const settings = { ...demoSettings, logging: { level: 'DEBUG' }, unknown_key: 1 };
    await withIdp({ command: 'oidc', settings }, async ({ log }) => {
      const lines = log()
        .trim()
        .split('\n')
        .map((line): unknown => JSON.parse(line));
      expect(lines.filter((line) => JSON.stringify(line).includes('unknown_key'))).to.have.length(1);
    });
    for (const command of ['oidc', 'start'] as const) {
      let output = () => '';
      await withIdp({ command, settings, args: ['--log-level', 'ERROR'] }, async ({ baseUrl, log }) => {
        output = log;
        // At the level of the file, a rejected token request would be logged.
        expect((await fetch(`${baseUrl}/token`, { method: 'POST' })).status).to.equal(400);
      });
      expect(output()).to.equal('');
    }
  });

  verifies('CLI-07', 'is readable text on a terminal', async () => {
    await withIdp({ command: 'oidc', settings: { ...demoSettings, unknown_key: 1 } }, async ({ configDirectory }) => {
      const command = `${process.execPath} ${cliPath} oidc --port 0 --config-dir ${configDirectory}`;
      const shown = await onTerminal(command, /test-idp is ready/);
      expect(shown).to.match(/^.*WARN.*unknown_key/m);
      expect(shown).not.to.include('{"level"');
    });
  });

  verifies('CLI-07', 'contains no password, secret or token, even at DEBUG', async () => {
    await withIdp({ args: ['--log-level', 'DEBUG'] }, async (idp) => {
      const { baseUrl } = idp;
      const form = {
        grant_type: 'password',
        username: 'alice',
        password: 'wonderland',
        scope: 'openid offline_access',
      };
      const tokens = await (await postForm(`${baseUrl}/token`, form, web)).json();
      await postForm(`${baseUrl}/token`, { ...form, password: 'not-the-word' }, web);
      await postForm(`${baseUrl}/token`, { ...form, client_id: 'post', client_secret: 'post-secret' });
      await postForm(`${baseUrl}/introspect`, { token: tokens.access_token }, web);
      await fetch(`${baseUrl}/userinfo`, { headers: { Authorization: `Bearer ${tokens.access_token}` } });
      await fetch(`${baseUrl}/userinfo`, { headers: { Authorization: 'Bearer stolen.token.value' } });
      await idp.stop();
      const secrets = ['wonderland', 'not-the-word', 'web-secret', 'post-secret', 'stolen.token.value'];
      for (const secret of [...secrets, tokens.access_token, tokens.refresh_token, tokens.id_token]) {
        expect(secret).to.be.a('string').and.not.equal('');
        expect(idp.log()).not.to.include(secret);
      }
      expect(idp.log()).not.to.include(web.Authorization.slice('Basic '.length));
    });
  });
});

describe('overrides for one run', () => {
  const configuration = async (baseUrl: string) => (await fetch(`${baseUrl}/api/config`)).json();

  for (const profile of ['dev', 'stricter-dev', 'oauth21']) {
    verifies('CLI-08', `apply and are shown for --profile ${profile}`, async () => {
      const settings = { ...demoSettings, security_profile: profile === 'dev' ? 'oauth21' : 'dev' };
      await withIdp({ command: 'oidc', settings, args: ['--profile', profile] }, async ({ baseUrl }) => {
        expect(await configuration(baseUrl)).to.include({ profile_override: profile });
        const grant = await postForm(
          `${baseUrl}/token`,
          { grant_type: 'password', username: 'alice', password: 'wonderland' },
          web,
        );
        expect(grant.status).to.equal(profile === 'oauth21' ? 400 : 200);
      });
    });
  }

  verifies('CLI-08', 'are not shown without --profile', async () => {
    await withIdp({ command: 'oidc' }, async ({ baseUrl }) => {
      expect(await configuration(baseUrl)).to.include({ profile_override: null });
    });
  });
});
