// `test-idp token` and `test-idp health`, as scripts use them (PKG-25 to PKG-29).
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { stringify } from 'yaml';
import { skipBecause } from '#test/support/debian-programs.ts';
import { freePort } from '#test/support/free-port.ts';
import { basic, claimsOf, postForm } from '#test/support/http.ts';
import { cliPath, type RunningIdp, spawnIdp, startIdp } from '#test/support/start-idp.ts';
import { createTestAuthority } from '#test/support/test-authority.ts';
import { verifies } from '#test/support/verifies.ts';
import { demoSettings } from '#test/support/worlds.ts';

interface Outcome {
  readonly code: number | null;
  readonly out: string;
  readonly error: string;
}

/** Unlike spawnSync, it does not block the event loop, so that the command can also request servers of this test. */
function run(args: readonly string[], options: { env?: Record<string, string>; cwd?: string } = {}): Promise<Outcome> {
  const env = { ...process.env, ...options.env };
  const child = spawn(process.execPath, [cliPath, ...args], { stdio: ['ignore', 'pipe', 'pipe'], ...options, env });
  let [out, error] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    out += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    error += chunk;
  });
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, out, error })));
}

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
}

/** Runs it again with another port if another process got the port meanwhile. */
async function atFreePort(work: (port: number) => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work(await freePort());
    } catch (error) {
      if (attempt === 3 || !String(error).includes('is in use by another program')) throw error;
    }
  }
}

describe('test-idp token', function () {
  this.timeout(60_000);
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({ command: 'oidc' });
  });
  after(() => idp.stop());

  /** Uses the running instance with the files that it was started with. */
  const token = (...args: string[]) =>
    run(['token', '--config-dir', idp.configDirectory, ...args], { env: { IDP_URL: idp.baseUrl } });

  verifies(['PKG-25', 'PKG-27'], 'prints only an access token of a declared client and a line feed', async () => {
    const { code, out, error } = await token();
    expect([code, error]).to.deep.equal([0, '']);
    expect(out).to.match(/^[\w-]+\.[\w-]+\.[\w-]+\n$/);
    expect(claimsOf(out)).to.include({ sub: 'web', client_id: 'web', iss: idp.baseUrl });
  });

  verifies('PKG-26', 'prefers the instance of --url to that of IDP_URL', async () => {
    const args = ['token', '--url', `${idp.baseUrl}/`, '--client', 'web:web-secret'];
    const { code, out } = await run(args, { env: { IDP_URL: 'http://127.0.0.1:1' } });
    expect([code, claimsOf(out).iss]).to.deep.equal([0, idp.baseUrl]);
  });

  verifies('PKG-26', 'reports that a named instance does not respond', async () => {
    const url = 'http://127.0.0.1:1';
    for (const [args, env] of [
      [['--url', url], {}],
      [[], { IDP_URL: url }],
    ] as const) {
      const { code, out, error } = await run(['token', ...args], { cwd: tmpdir(), env });
      expect([code, out, error]).to.deep.equal([1, '', `test-idp: no response from ${url} (ECONNREFUSED)\n`]);
    }
  });

  verifies('PKG-27', 'passes claims, lifetime, scope and resource to the token endpoint', async () => {
    const options = ['--exp', '5', '--scope', 'email', '--resource', 'https://api.example', '--json'];
    const { out } = await token('--claims', '{"tier":"gold"}', ...options);
    const response = JSON.parse(out);
    expect(response).to.include({ token_type: 'Bearer', expires_in: 300, scope: 'email' });
    expect(claimsOf(response.access_token)).to.include({ tier: 'gold', aud: 'https://api.example', sub: 'web' });
  });

  verifies('PKG-27', 'passes them to the token of a user, with and without a client', async () => {
    const options = ['--exp', '5', '--scope', 'openid', '--resource', 'https://api.example', '--json'];
    const { out } = await token('--user', 'alice', '--claims', '{"tier":"gold"}', ...options);
    const response = JSON.parse(out);
    const claims = claimsOf(response.access_token);
    expect(claims).to.include({ sub: 'alice', tier: 'gold', aud: 'https://api.example' });
    expect(Number(claims.exp) - Number(claims.iat)).to.equal(300);
    expect(claimsOf(response.id_token)).to.include({ sub: 'alice' });
    expect(claims).not.to.have.property('client_id');
    const bound = await token('--user', 'alice', '--client', 'spa');
    expect(claimsOf(bound.out)).to.include({ sub: 'alice', client_id: 'spa' });
  });

  verifies('PKG-27', 'accepts several resources, as both endpoints do', async () => {
    const several = ['--resource', 'https://one.example', '--resource', 'https://two.example'];
    for (const whose of [[], ['--user', 'alice']]) {
      const { out } = await token(...whose, ...several);
      expect(claimsOf(out).aud).to.deep.equal(['https://one.example', 'https://two.example']);
    }
  });

  verifies('TTK-05', 'sets and removes claims of the tokens of users and clients', async () => {
    const options = ['--audience', 'orders-api', '--set-claims', '{"azp":"app"}', '--remove-claims', 'nbf,jti'];
    for (const whose of [['--user', 'alice'], ['--client', 'spa'], []]) {
      const { out, error } = await token(...whose, ...options);
      expect(error).to.equal('');
      expect(claimsOf(out)).to.include({ aud: 'orders-api', azp: 'app' }).and.not.have.any.keys('nbf', 'jti');
    }
    const { code, error } = await token('--set-claims', '[]');
    expect(code).to.equal(1);
    expect(error).to.match(/^test-idp: --set-claims must be a JSON object, such as {"department":"ops"}\n/);
  });

  verifies('PKG-27', 'authenticates a client with its own method', async () => {
    const { code, out } = await token('--client', 'post');
    expect([code, claimsOf(out).sub]).to.deep.equal([0, 'post']);
  });

  verifies('PKG-27', 'ends with the rejection on standard error', async () => {
    const refusals: readonly [readonly string[], RegExp][] = [
      [['--client', 'web:wrong'], /^test-idp: invalid_client: \S/],
      [['--exp', '0'], /^test-idp: invalid_request: 'exp' must be/],
      [['--claims', '{"iss":"x"}'], /^test-idp: invalid_request: .*iss/],
      [['--user', 'nobody'], /^test-idp: .*nobody|^test-idp: .*user/],
      [['--user', 'alice', '--exp', 'soon'], /^test-idp: exp_minutes must be a whole number/],
    ];
    for (const [args, message] of refusals) {
      const { code, out, error } = await token(...args);
      expect([code, out], args.join(' ')).to.deep.equal([1, '']);
      expect(error)
        .to.match(message)
        .and.to.match(/^[^\n]*\n$/);
    }
    const unknown = await token('--client', 'elsewhere');
    expect(unknown.error).to.include("no client 'elsewhere' with a secret. Write --client elsewhere:SECRET");
  });

  verifies('PKG-27', 'sends the management secret that an instance requires for a user’s token', async () => {
    const gated = await startIdp({ command: 'oidc', settings: { ...demoSettings, management_secret: 'guard' } });
    try {
      const args = ['token', '--url', gated.baseUrl, '--user', 'alice'];
      expect((await run(args)).error).to.include('X-Management-Secret');
      const { code, out } = await run(args, { env: { IDP_MANAGEMENT_SECRET: 'guard' } });
      expect([code, claimsOf(out).sub]).to.deep.equal([0, 'alice']);
    } finally {
      await gated.stop();
    }
  });

  verifies('PKG-26', 'starts an instance for the token if none runs, and says who can verify it', async () => {
    const root = mkdtempSync(join(tmpdir(), 'test-idp-token-'));
    try {
      const configDirectory = join(root, 'config');
      mkdirSync(configDirectory);
      await atFreePort(async (port) => {
        const settings = { ...demoSettings, server: { port } };
        writeFileSync(join(configDirectory, 'settings.yaml'), stringify(settings));
        const { code, out, error } = await run(['token', '--config-dir', configDirectory]);
        expect(code, error).to.equal(0);
        expect(claimsOf(out)).to.include({ sub: 'web', iss: `http://127.0.0.1:${port}` });
        expect(error).to.include(`An instance with ${configDirectory} has its key`);
        // And this is true.
        const later = await spawnIdp(['oidc', '--config-dir', configDirectory]);
        try {
          const form = { token: out.trim() };
          const answer = await postForm(`${later.baseUrl}/introspect`, form, {
            Authorization: basic('web', 'web-secret'),
          });
          expect(await answer.json()).to.include({ active: true });
        } finally {
          await later.stop();
        }
      });
    } finally {
      rmSync(root, { recursive: true });
    }
  });

  verifies('PKG-26', 'says that the token of an embedded configuration cannot be verified', async function () {
    const directory = mkdtempSync(join(tmpdir(), 'test-idp-token-'));
    try {
      const { code, out, error } = await run(['token'], { cwd: directory });
      // Another instance may already use the default address.
      if (error === '') skipBecause(this, 'an instance answers at http://127.0.0.1:8000');
      expect([code, claimsOf(out).iss]).to.deep.equal([0, 'http://127.0.0.1:8000']);
      expect(error).to.include('Its key is discarded, so the token cannot be verified.');
      expect(readdirSync(directory)).to.deep.equal([]);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});

describe('test-idp health', function () {
  this.timeout(60_000);

  verifies('PKG-28', 'exits with 0 if an instance responds, however it was named', async () => {
    const idp = await startIdp({ command: 'saml' });
    try {
      const port = Number(new URL(idp.baseUrl).port);
      writeFileSync(join(idp.configDirectory, 'settings.yaml'), stringify({ ...demoSettings, server: { port } }));
      const quiet = { code: 0, out: '', error: '' };
      expect(await run(['health', '--url', idp.baseUrl])).to.deep.equal(quiet);
      expect(await run(['health'], { env: { IDP_URL: `${idp.baseUrl}/` } })).to.deep.equal(quiet);
      expect(await run(['health', '--config-dir', idp.configDirectory])).to.deep.equal(quiet);
    } finally {
      await idp.stop();
    }
  });

  verifies('PKG-28', 'exits with 1 and one sentence for every other response, and for none', async () => {
    const strange = createServer((_request, response) => response.writeHead(503).end());
    const silent = createServer(() => {});
    try {
      const [one, other] = [await listening(strange), await listening(silent)];
      const nobody = 'http://127.0.0.1:1';
      for (const [args, sentence] of [
        [['--url', one], `${one}/health returned 503`],
        [['--url', other, '--timeout', '0.2'], `no response from ${other} (no response within 0.2 s)`],
        [['--url', nobody], `no response from ${nobody} (ECONNREFUSED)`],
      ] as const) {
        expect(await run(['health', ...args])).to.deep.equal({ code: 1, out: '', error: `test-idp: ${sentence}\n` });
      }
      const lost = await run(['health', '--config-dir', '/nowhere/at/all'], { env: { IDP_URL: '' } });
      expect(lost.code).to.equal(1);
    } finally {
      strange.close();
      silent.closeAllConnections();
      silent.close();
    }
  });
});

describe('instances whose certificate is not trusted', () => {
  verifies(['PKG-26', 'PKG-28', 'TLS-05'], 'are not reported as absent', async () => {
    const authority = await createTestAuthority();
    const outcomeFor = async (names: readonly string[], env: Record<string, string> = {}) => {
      const server = createTlsServer(await authority.issue(names), (_request, response) => response.end('{}'));
      try {
        const url = (await listening(server)).replace('http:', 'https:');
        const { code, error } = await run(['health', '--url', url], { env });
        return { code, error: error.replace(url, 'URL') };
      } finally {
        server.close();
      }
    };
    const stranger = await outcomeFor(['127.0.0.1']);
    expect(stranger.code).to.equal(1);
    expect(stranger.error)
      .to.match(/^test-idp: the certificate of URL is not trusted \(UNABLE_TO_VERIFY_LEAF_SIGNATURE\)\. /)
      .and.contain('NODE_EXTRA_CA_CERTS');
    const directory = mkdtempSync(join(tmpdir(), 'trusted-'));
    const file = join(directory, 'ca.pem');
    try {
      writeFileSync(file, authority.certificatePem);
      const trusting = { NODE_EXTRA_CA_CERTS: file };
      expect(await outcomeFor(['127.0.0.1'], trusting)).to.deep.equal({ code: 0, error: '' });
      expect((await outcomeFor(['elsewhere.example'], trusting)).error).to.contain('server.tls_names');
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});

describe('what the small commands load', () => {
  /** A built file and everything that it requires before its first statement runs. */
  function closure(path: string, seen = new Map<string, string>()): Map<string, string> {
    if (seen.has(path)) return seen;
    const text = readFileSync(path, 'utf8');
    seen.set(path, text);
    for (const [, required = ''] of text.matchAll(/(?<!=>)\brequire\("(\.[^"]+)"\)/g)) {
      closure(join(dirname(path), required), seen);
    }
    return seen;
  }

  for (const command of ['token', 'health', 'help']) {
    verifies('PKG-29', `is little for ${command}, without store or protocol code`, () => {
      const folder = dirname(cliPath);
      const own = readdirSync(folder).filter((name) => new RegExp(`^${command}-[A-Z0-9]{8}\\.cjs$`).test(name));
      expect(own).to.have.length(1);
      const loaded = closure(join(folder, own[0] ?? ''), closure(join(folder, 'cli.cjs')));
      const text = [...loaded.values()].join('\n');
      // Of these, 8,000 bytes are what makes each file a CommonJS module.
      expect(text.length).to.be.lessThan(44_000);
      expect(text).not.to.match(/better-sqlite3|CREATE TABLE|authorization_code|RS256/);
    });
  }
});
