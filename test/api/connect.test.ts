// connectIdp: the same members for an instance that already runs (API-35 to API-37).
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { toolOrSkip } from '#test/support/debian-programs.ts';
import { claimsOf } from '#test/support/http.ts';
import { apiPath, connectIdp, pemKeys, rejection, startIdp } from '#test/support/start-api.ts';
import { startIdp as startProgram } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';

const run = promisify(execFile);

type Idp = Awaited<ReturnType<typeof startIdp>>;

describe('connectIdp', function () {
  this.timeout(60_000);
  let running: Idp;
  before(async () => {
    running = await startIdp({ keys: await pemKeys(), settings: { management_secret: 'open sesame' } });
  });
  after(() => running.stop());
  const managementSecret = 'open sesame';
  const sandboxes = async () => ((await (await running.fetch('/api/sandboxes')).json()) as { count: number }).count;

  verifies(['API-35', 'API-36'], 'works in a sandbox of its own, which its stop deletes', async () => {
    const idp = await connectIdp(`${running.url}/`, { managementSecret });
    expect(idp.url).to.match(new RegExp(`^${running.url}/s/[a-z0-9]+$`));
    const { issuer, jwks_uri } = await (await fetch(idp.discoveryUrl)).json();
    expect([issuer, jwks_uri]).to.deep.equal([idp.issuer, idp.jwksUrl]);
    expect(await (await fetch(idp.samlMetadataUrl)).text()).to.include(`Location="${idp.samlSsoUrl}"`);
    expect(Object.keys(idp)).to.have.members(Object.keys(running));

    await idp.addUser({ username: 'alice', password: 'a' });
    await idp.addClient({ client_id: 'web', redirect_uris: ['http://127.0.0.1/cb'] });
    expect(claimsOf((await idp.token({ user: 'alice', client: 'web' })).access_token)).to.include({ iss: idp.issuer });
    expect(claimsOf((await idp.token()).access_token).sub).to.equal('web');
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: 'web',
      redirect_uri: 'http://127.0.0.1:9/cb',
    });
    expect((await idp.login({ url: `${idp.url}/authorize?${query}`, user: 'alice' })).params).to.have.property('code');
    await idp.clock.advance('1h');
    await idp.faults.add('token_expired');
    expect((await running.clock.read()).offset_seconds).to.equal(0);
    expect((await running.fetch('/api/users/alice')).status).to.equal(404);
    await idp.reset();
    expect([await idp.faults.list(), (await idp.clock.read()).offset_seconds]).to.deep.equal([[], 0]);
    expect((await rejection(idp.keys.pem())).kind).to.equal('keys_out_of_reach');
    expect(await sandboxes()).to.equal(1);
    await idp.stop();
    expect(await sandboxes()).to.equal(0);
    expect((await rejection(idp.token())).kind).to.equal('stopped');
  });

  verifies('API-36', 'leaves no sandbox that it cannot reach', async () => {
    let made = 0;
    // A proxy that was told of everything but the sandboxes.
    const proxy = createServer(async (request, response) => {
      const { url: path = '/', method = 'GET', headers } = request;
      const chunks: Uint8Array[] = [];
      for await (const chunk of request) chunks.push(chunk);
      if (path === '/api/sandboxes' && method === 'POST') made += 1;
      if (path.startsWith('/s/')) return response.writeHead(404).end('no such page');
      const sent = { 'X-Management-Secret': managementSecret, 'Content-Type': headers['content-type'] ?? 'text/plain' };
      const body = chunks.length > 0 ? Buffer.concat(chunks) : undefined;
      const answer = await fetch(running.url + path, { method, headers: sent, ...(body && { body }) });
      return response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const address = proxy.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    try {
      const refused = await rejection(connectIdp(`http://127.0.0.1:${port}`, { managementSecret }));
      expect(refused.kind).to.equal('not_reachable');
      expect(refused.message).to.match(
        new RegExp(`^http://127\\.0\\.0\\.1:${port}/s/[a-z0-9]+/\\.well-known/openid-configuration returned 404`),
      );
      expect([made, await sandboxes()]).to.deep.equal([1, 0]);
    } finally {
      proxy.close();
    }
  });

  verifies('API-36', 'works on the default namespace or a named sandbox, whose stop ends nothing', async () => {
    await using home = await connectIdp(running.url, { managementSecret, sandbox: false });
    expect([home.url, home.issuer]).to.deep.equal([running.url, running.issuer]);
    await home.addUser({ username: 'visible', password: 'v' });
    expect((await running.fetch('/api/users/visible')).status).to.equal(200);
    expect((await rejection(home.reset())).kind).to.equal('not_resettable');
    await home.api.createSandbox({ body: { name: 'shared' } });
    const named = await connectIdp(running.url, { managementSecret, sandbox: 'shared' });
    expect(named.url).to.equal(`${running.url}/s/shared`);
    await named.stop();
    expect(await sandboxes()).to.equal(1);
    expect((await rejection(connectIdp(running.url, { managementSecret, sandbox: 'nowhere' }))).message).to.include(
      '404',
    );
    const locked = await rejection(connectIdp(running.url));
    expect(locked.message).to.include('401').and.not.include(managementSecret);
  });

  verifies('API-35', 'waits, and says at last who did not answer and why', async () => {
    const url = 'http://127.0.0.1:1';
    const refused = await rejection(connectIdp(url, { timeout: 300 }));
    expect([refused.kind, refused.message]).to.deep.equal([
      'not_reachable',
      `no instance responded at ${url} within 0.3 s: ECONNREFUSED`,
    ]);
    expect((await rejection(connectIdp('nonsense'))).kind).to.equal('invalid_option');
    expect((await rejection(connectIdp(url, { secret: 1 } as object))).message).to.include('secret');
  });

  verifies(['API-28', 'API-35'], 'waits no longer for what answers its health alone', async () => {
    let cut = false;
    const other = createServer((request, response) => {
      if (request.url === '/health') response.end();
      else if (cut) response.destroy();
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const address = other.address();
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
    try {
      const silent = await rejection(connectIdp(url, { timeout: 200 }));
      expect([silent.kind, silent.message]).to.deep.equal([
        'not_reachable',
        `no response from ${url}/openapi.json (no response within 0.2 s)`,
      ]);
      cut = true;
      expect((await rejection(connectIdp(url))).kind).to.equal('not_reachable');
    } finally {
      other.closeAllConnections();
      other.close();
    }
  });

  verifies('API-37', 'refuses an instance of another major version, and what tells none', async () => {
    let version: string | undefined = '2.9.0';
    const other = createServer((request, response) => {
      if (request.url === '/openapi.json' && version !== undefined) response.end(JSON.stringify({ info: { version } }));
      else response.writeHead(request.url === '/health' ? 200 : 404).end();
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const address = other.address();
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
    try {
      const older = await rejection(connectIdp(url));
      expect([older.kind, /has version 2\.9\.0, but this package has \d/.test(older.message)]).to.deep.equal([
        'version',
        true,
      ]);
      version = undefined;
      expect((await rejection(connectIdp(url))).kind).to.equal('version');
    } finally {
      other.close();
    }
  });

  verifies('API-35', 'asks of a certificate that it is that of the address, an IP address too', async function () {
    const openssl = toolOrSkip(this, 'openssl');
    const folder = mkdtempSync(join(tmpdir(), 'test-idp-connect-'));
    const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
    const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
    const named = ['-subj', '/CN=ip', '-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', cert];
    expect(spawnSync(openssl, [...request, ...named]).status).to.equal(0);
    const secure = await startProgram({ command: 'oidc', settings: { server: { tls: { cert, key } } } });
    try {
      const code = `import { connectIdp } from ${JSON.stringify(pathToFileURL(apiPath).href)};
        const asked = process.argv[1];
        const idp = await connectIdp(asked, { sandbox: false, timeout: 2000 });
        console.log(idp.url);`;
      const connected = async (url: string) => {
        const env = { ...process.env, NODE_EXTRA_CA_CERTS: cert };
        const { stdout, stderr } = await run(process.execPath, ['--input-type=module', '-e', code, url], { env }).catch(
          (error: { stdout: string; stderr: string }) => error,
        );
        return stdout.trim() + (/^IdpError: (.*)$/m.exec(stderr)?.[1] ?? '');
      };
      expect(secure.baseUrl).to.match(/^https:\/\/127\.0\.0\.1:/);
      expect(await connected(secure.baseUrl)).to.equal(secure.baseUrl);
      const byName = secure.baseUrl.replace('127.0.0.1', 'localhost');
      expect(await connected(byName)).to.contain(
        `the certificate of ${byName} is not trusted (ERR_TLS_CERT_ALTNAME_INVALID)`,
      );
      // Here nothing names its authority.
      const stranger = await rejection(connectIdp(secure.baseUrl, { timeout: 2000 }));
      expect([stranger.kind, stranger.message].join(' ')).to.match(
        /^not_reachable the certificate of \S+ is not trusted \(DEPTH_ZERO_SELF_SIGNED_CERT\)\. /,
      );
    } finally {
      await secure.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
