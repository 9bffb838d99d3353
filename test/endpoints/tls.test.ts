// TLS at the public port, as its clients see it: a stack of two OIDC front ends with `--tls`.
import { execFile } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls, getCiphers, type TLSSocket } from 'node:tls';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { stringify } from 'yaml';
import { systemClock } from '#shared/base/clock.ts';
import { makeAuthority, makeLeaf } from '#shared/state/tls/make-certificates.ts';
import { toolOrSkip } from '#test/support/debian-programs.ts';
import { basic, rawRequest } from '#test/support/http.ts';
import { type SecureClient, secureClient, secureForm } from '#test/support/https.ts';
import { connectHttp } from '#test/support/mcp-client.ts';
import { killWorker, until, workersOf } from '#test/support/stack.ts';
import { cliPath, type RunningIdp, spawnIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { demoSettings } from '#test/support/worlds.ts';

const run = promisify(execFile);
const { issuer: _declared, ...followingRequests } = demoSettings.oauth;
const webSecret = basic('web', 'web-secret');

/** Every address in a document. */
const addressesIn = (text: string) => text.match(/https?:\/\/[^"<>\s]+/g) ?? [];

const privateKey = /PRIVATE KEY/;

const unknownAuthority = 'SELF_SIGNED_CERT_IN_CHAIN';

const cli = (...args: string[]) => run(process.execPath, [cliPath, ...args]);

describe('TLS at the public port', function () {
  this.timeout(60_000);
  let idp: RunningIdp;
  let secure: SecureClient;
  let plainUrl: string;
  let port: number;
  before(async () => {
    idp = await startIdp({ settings: { oauth: followingRequests }, args: ['--tls', '--oidc-workers', '2'] });
    secure = secureClient(idp);
    plainUrl = idp.baseUrl.replace('https:', 'http:');
    port = Number(new URL(idp.baseUrl).port);
  });
  after(() => idp?.stop());

  const tokenOf = async (client = secure) =>
    JSON.parse(
      (await secureForm(client, '/token', { grant_type: 'client_credentials' }, { Authorization: webSecret })).body,
    );

  verifies(['TLS-01', 'TLS-12'], 'is enabled by --tls and announced', async () => {
    expect(idp.baseUrl).to.match(/^https:\/\/127\.0\.0\.1:\d+$/);
    expect(idp.caFile).to.equal(join(idp.root, 'keys', 'tls-ca.pem'));
    expect((await secure('/health')).body).to.equal('{"status":"ok"}');
  });

  verifies('TLS-05', 'verifies in openssl and curl with the authority alone, including the name', async function () {
    const [openssl, curl] = [toolOrSkip(this, 'openssl'), toolOrSkip(this, 'curl')];
    const ca = idp.caFile ?? '';
    const leaf = join(idp.root, 'keys', 'tls-cert.pem');
    const verify = (...more: string[]) =>
      run(openssl, ['verify', '-x509_strict', '-purpose', 'sslserver', '-CAfile', ca, ...more, leaf]);
    expect((await verify('-verify_hostname', 'localhost')).stdout).to.contain(': OK');
    expect((await verify('-verify_ip', '127.0.0.1')).stdout).to.contain(': OK');
    const refused = await verify('-verify_hostname', 'other.example').catch(({ stderr }) => stderr);
    expect(refused).to.contain('hostname mismatch');
    const text = (await run(openssl, ['x509', '-in', ca, '-noout', '-text'])).stdout;
    expect(text)
      .to.match(/Basic Constraints: critical\s+CA:TRUE, pathlen:0\n/)
      .and.match(/Key Usage: critical\s+Certificate Sign\n/);
    const leafText = (await run(openssl, ['x509', '-in', leaf, '-noout', '-text'])).stdout;
    expect(leafText).to.match(/Extended Key Usage:\s+TLS Web Server Authentication\n/);
    const asked = (name: string) => [
      '-sS',
      '--cacert',
      ca,
      '--resolve',
      `${name}:${port}:127.0.0.1`,
      `https://${name}:${port}/health`,
    ];
    expect((await run(curl, asked('localhost'))).stdout).to.equal('{"status":"ok"}');
    const foreign = await run(curl, asked('other.example')).catch(({ code }) => code);
    expect(foreign).to.equal(60);
  });

  verifies('TLS-05', 'verifies in Node.js, and not without the authority', async () => {
    expect((await secure('/health')).status).to.equal(200);
    const failure = await fetch(`${idp.baseUrl}/health`).then(
      () => 'answered',
      (error: Error & { cause?: { code?: string } }) => error.cause?.code,
    );
    expect(failure).to.be.oneOf(['SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE']);
  });

  const handshake = (options: object) =>
    new Promise<TLSSocket>((resolve, reject) => {
      const ca = readFileSync(idp.caFile ?? '');
      const socket = connectTls({ port, host: '127.0.0.1', ca, ...options }, () => resolve(socket));
      socket.once('error', reject);
    });

  verifies('TLS-07', 'speaks 1.2 and 1.3 with http/1.1 and requires no client certificate', async () => {
    for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
      const socket = await handshake({ minVersion: version, maxVersion: version, ALPNProtocols: ['h2', 'http/1.1'] });
      expect([socket.getProtocol(), socket.alpnProtocol]).to.deep.equal([version, 'http/1.1']);
      socket.destroy();
    }
    const older = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' };
    // The error depends on the OpenSSL version of the client.
    expect(await handshake(older).catch(({ code }) => code)).to.be.a('string');
    expect(await handshake({ ALPNProtocols: ['h2'] }).catch(({ code }) => code)).to.be.a('string');
    for (const path of ['/', '/health', '/.well-known/openid-configuration', '/nothing', '/login']) {
      expect((await secure(path)).headers, path).not.to.have.property('strict-transport-security');
    }
    const socket = await handshake({});
    // If the server required a certificate, the client would have sent one or none.
    expect(socket.getCertificate()).to.satisfy((own: object | null) => own === null || Object.keys(own).length === 0);
    socket.destroy();
  });

  it('offers only the cipher suites of BCP 195 with TLS 1.2 (RFC 9325 §4.2)', async () => {
    const offered: string[] = [];
    for (const cipher of getCiphers().filter((name) => !name.startsWith('tls_'))) {
      const ciphers = `${cipher.toUpperCase()}:@SECLEVEL=0`;
      const socket = await handshake({ maxVersion: 'TLSv1.2', ciphers }).catch(() => undefined);
      if (socket !== undefined) offered.push(cipher);
      socket?.destroy();
    }
    expect(offered.sort()).to.deep.equal(['ecdhe-ecdsa-aes128-gcm-sha256', 'ecdhe-ecdsa-aes256-gcm-sha384']);
  });

  verifies('TLS-08', 'uses https in every address and in the default issuer, and secure cookies', async () => {
    const discovery = JSON.parse((await secure('/.well-known/openid-configuration')).body);
    expect(discovery.issuer).to.equal(idp.baseUrl);
    expect(discovery.authorization_response_iss_parameter_supported).to.equal(true);
    const addresses = addressesIn(JSON.stringify(discovery));
    expect(addresses.length).to.be.above(5);
    expect(addresses.filter((address) => !address.startsWith('https:'))).to.deep.equal([]);
    const metadata = (await secure('/saml/metadata')).body;
    const own = [...metadata.matchAll(/(?:Location|entityID)="([^"]+)"/g)].map(([, address = '']) => address);
    expect(own.length).to.be.above(2);
    expect(own.filter((address) => !address.startsWith(`${idp.baseUrl}/`))).to.deep.equal([]);
    const login = await secureForm(secure, '/login', { username: 'alice', password: 'wonderland' });
    expect(String(login.headers['set-cookie'])).to.contain('; Secure');
    const config = JSON.parse((await secure('/api/config')).body);
    expect(config.oauth.issuer).to.equal('https://127.0.0.1:8000');
  });

  verifies('TLS-09', 'answers plain HTTP for health and the authority, and redirects other reads', async () => {
    for (const path of ['/health', '/api/health']) {
      expect(await rawRequest(plainUrl + path)).to.include({ status: 200, body: '{"status":"ok"}' });
      expect(await rawRequest(plainUrl + path, { method: 'HEAD' })).to.include({ status: 200, body: '' });
    }
    expect((await rawRequest(`${plainUrl}/ca.pem`)).body).to.equal(readFileSync(idp.caFile ?? '', 'utf8'));
    for (const method of ['GET', 'HEAD']) {
      const sent = await rawRequest(`${plainUrl}/authorize?a=b%20c`, { method, headers: { Host: `idp.test:${port}` } });
      expect([sent.status, sent.headers.location]).to.deep.equal([308, `https://idp.test:${port}/authorize?a=b%20c`]);
    }
    const nameless = await rawRequest(plainUrl, { headers: { Host: 'a b' } });
    expect([nameless.status, nameless.body]).to.deep.equal([400, '{"error":"https_required"}']);
  });

  verifies('TLS-09', 'rejects every other plain request without effect', async () => {
    const before = (await secure('/api/runtime/users')).body;
    const form = { 'Content-Type': 'application/x-www-form-urlencoded', Authorization: webSecret };
    const audited = async () => JSON.parse((await secure('/api/audit?limit=-1')).body).entries.length;
    const events = await audited();
    const sent = [
      ['POST', '/token', form, 'grant_type=client_credentials'],
      ['POST', '/health', {}, ''],
      ['POST', '/api/runtime/users', { 'Content-Type': 'application/json' }, '{"username":"mallory"}'],
      ['PUT', '/anything', {}, 'x'],
      ['DELETE', '/api/runtime', {}, ''],
      ['OPTIONS', '/token', { Origin: 'http://a.test' }, ''],
    ] as const;
    for (const [method, path, headers, body] of sent) {
      const answer = await rawRequest(plainUrl + path, { method, headers, body });
      expect([answer.status, answer.body], `${method} ${path}`).to.deep.equal([400, '{"error":"https_required"}']);
    }
    expect((await secure('/api/runtime/users')).body).to.equal(before);
    expect(await audited()).to.equal(events);
  });

  verifies(['TLS-10', 'TLS-16'], 'shows the certificate of the authority and no private key', async () => {
    const answer = await secure('/ca.pem');
    expect([answer.status, answer.headers['content-type']]).to.deep.equal([200, 'application/x-pem-file']);
    expect(answer.body.match(/BEGIN/g)).to.have.length(1);
    expect(new X509Certificate(answer.body).ca).to.equal(true);
    expect((await secure('/s/none/ca.pem')).status).to.equal(404);
    const config = await secure('/api/config');
    const { tls } = JSON.parse(config.body).server;
    expect(tls.mode).to.equal('auto');
    expect(tls.names).to.include.members(['localhost', '127.0.0.1', '::1']);
    expect(Date.parse(tls.expires_at) - Date.now()).to.be.within(394 * 86_400_000, 397 * 86_400_000);
    for (const path of ['/', '/settings', '/keys', '/api/config', '/ca.pem', '/api/keys/info']) {
      expect((await secure(path)).body, path).not.to.match(privateKey);
    }
    const secrets = ['tls-key.pem', 'tls-ca-key.pem'].map(
      (name) => readFileSync(join(idp.root, 'keys', name), 'utf8').split('\n')[1] ?? '',
    );
    for (const secret of secrets) expect(config.body + idp.log()).not.to.contain(secret);
    expect(idp.log()).not.to.match(privateKey);
  });

  verifies('TLS-11', 'has its authority printed by test-idp ca', async () => {
    const ca = (...args: string[]) =>
      run(process.execPath, [cliPath, 'ca', '--config-dir', idp.configDirectory, ...args]);
    expect((await ca()).stdout).to.equal(readFileSync(idp.caFile ?? '', 'utf8'));
    expect((await ca('--path')).stdout).to.equal(`${idp.caFile}\n`);
  });

  verifies(
    'TLS-13',
    'is served by every front end at the one port, and a killed one causes no refused connection',
    async () => {
      const frontends = () => workersOf(idp.pid).filter(({ name }) => name === 'oidc');
      expect(frontends()).to.have.length(2);
      const killed = killWorker(idp, 'oidc');
      const answers = await Promise.all(
        Array.from({ length: 30 }, () =>
          secure('/health').then(
            ({ status }) => status,
            (error) => error.code,
          ),
        ),
      );
      // Requests in flight in the killed worker are lost.
      expect(answers.filter((answer) => answer === 'ECONNREFUSED')).to.deep.equal([]);
      await killed;
      await until('both front ends respond', () => frontends().length === 2);
      const first = await until(
        'a token is issued',
        async () => (await tokenOf().catch(() => undefined))?.access_token,
        30_000,
      );
      expect(first).to.be.a('string');
    },
  );

  verifies('TLS-13', 'passes scheme and peer address to the SAML worker', async () => {
    await secure('/api/audit/clear', { method: 'POST' });
    const forged = { 'x-test-idp-scheme': 'http', 'x-test-idp-peer': '192.0.2.1' };
    const metadata = await secure('/saml/metadata', { headers: forged });
    expect(metadata.body).to.contain(`entityID="${idp.baseUrl}/saml"`);
    await secure('/saml/attribute-query', { method: 'POST', headers: forged, body: '<none/>' });
    const { entries } = JSON.parse((await secure('/api/audit?limit=-1')).body);
    const seen = entries.filter(({ endpoint }: { endpoint: string }) => endpoint === '/saml/attribute-query');
    expect(seen.map(({ ip_address }: { ip_address: string }) => ip_address)).to.deep.equal(['127.0.0.1']);
  });

  verifies('TLS-15', 'does not change the MCP server, whose tools name https addresses', async () => {
    expect(idp.mcpUrl).to.match(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
    const mcp = await connectHttp(idp.mcpUrl ?? '');
    const addresses = addressesIn(JSON.stringify(await mcp.ok('get_oidc_discovery')));
    expect(addresses.length).to.be.above(5);
    expect(addresses.filter((address) => !address.startsWith('https:'))).to.deep.equal([]);
    await mcp.close();
  });

  verifies('TLS-14', 'is not delayed by clients that send nothing, half a handshake or garbage', async () => {
    const hello = Buffer.from('160301020001', 'hex');
    const rude = ['', hello, Buffer.from('16ff', 'hex'), 'garbage\r\n\r\n', 'G', '\0\0\0\0'].flatMap((bytes) =>
      Array.from({ length: 5 }, () => {
        const socket = connect(port, '127.0.0.1');
        socket.on('error', () => {});
        socket.write(bytes);
        return new Promise<void>((resolve) => socket.once('close', () => resolve()).resume());
      }),
    );
    const agent = new Agent({ keepAlive: true });
    for (let count = 0; count < 20; count += 1) expect((await secure('/health', { agent })).status).to.equal(200);
    agent.destroy();
    await Promise.all(rude);
  });

  it('answers a client that closes its own half after a request', async () => {
    const ca = readFileSync(idp.caFile ?? '', 'utf8');
    const options = { port, host: '127.0.0.1', ca, allowHalfOpen: true };
    const socket = connectTls(options);
    socket.end(`GET /health HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
    let answer = '';
    for await (const part of socket) answer += part;
    expect(answer).to.match(/^HTTP\/1\.1 200 [\s\S]*\{"status":"ok"\}$/);
  });
});

describe('TLS with files', function () {
  this.timeout(60_000);
  let root: string;
  let configDirectory: string;
  const path = (name: string) => join(root, name);
  const configure = (settings: object) => writeFileSync(join(configDirectory, 'settings.yaml'), stringify(settings));
  const start = () => spawnIdp(['oidc', '--config-dir', configDirectory, '--port', '0']);
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'test-idp-tls-'));
    configDirectory = path('config');
    mkdirSync(configDirectory);
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it('closes at once for a client that does not trust it, and so does not delay a stop', async () => {
    const idp = await spawnIdp(['oidc', '--config-dir', configDirectory, '--port', '0', '--tls']);
    const refused = await fetch(`${idp.baseUrl}/health`).catch(({ cause }) => cause.code);
    expect(refused).to.equal(unknownAuthority);
    const before = performance.now();
    await idp.stop();
    // A handshake may take five seconds.
    expect(performance.now() - before).to.be.below(3_000);
  });

  /** Writes a new authority and a certificate that it issued. */
  async function writeNew(): Promise<void> {
    const authority = await makeAuthority(systemClock.now());
    const leaf = await makeLeaf(['127.0.0.1'], authority, systemClock.now());
    writeFileSync(path('ca.pem'), authority.certificatePem);
    writeFileSync(path('cert.pem'), leaf.certificatePem);
    writeFileSync(path('key.pem'), leaf.keyPem);
    writeFileSync(path('other.pem'), authority.keyPem);
  }

  verifies(['TLS-06', 'TLS-10', 'TLS-16'], 'loads changed files on reload, or keeps the old ones', async () => {
    await writeNew();
    configure({ server: { tls: { cert: '../cert.pem', key: '../key.pem', ca: '../ca.pem' } } });
    const idp = await start();
    try {
      const secure = secureClient(idp);
      expect(idp.caFile).to.equal(path('ca.pem'));
      expect(existsSync(path('keys/tls-ca.pem'))).to.equal(false);
      expect(JSON.parse((await secure('/api/config')).body).server.tls.mode).to.equal('files');
      expect((await secure('/ca.pem')).body.trim()).to.equal(readFileSync(path('ca.pem'), 'utf8').trim());
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      expect((await secure('/health', { agent })).status).to.equal(200);

      writeFileSync(path('key.pem'), 'none');
      const refused = await secure('/api/config/reload', { method: 'POST' });
      expect(refused.status).to.equal(422);
      expect(JSON.parse(refused.body)).to.include({ kind: 'activation' });
      expect(refused.body).to.contain('server.tls.key').and.contain('key.pem');
      expect((await secure('/health')).status).to.equal(200);

      await writeNew();
      const reload = { method: 'POST', agent };
      expect((await secure('/api/config/reload', reload)).status).to.equal(200);
      const old = await secure('/health').catch(({ code }) => code);
      expect(old).to.be.oneOf(['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'CERT_SIGNATURE_FAILURE', unknownAuthority]);
      expect((await secureClient(idp)('/health')).status).to.equal(200);
      // The connection from before continues.
      expect((await secure('/health', { agent })).status).to.equal(200);
      agent.destroy();
    } finally {
      await idp.stop();
    }
  });

  verifies('TLS-06', 'fails the start with one line if the files are unusable', async () => {
    await writeNew();
    configure({ server: { tls: { cert: path('cert.pem'), key: path('other.pem') } } });
    const refused = await cli('oidc', '--config-dir', configDirectory, '--port', '0').catch((error) => error);
    expect(refused.code).to.equal(1);
    const errorLines = String(refused.stderr).split('\n');
    const sentences = errorLines.filter((line) => line !== '' && !line.startsWith('{'));
    expect(sentences).to.deep.equal([
      `test-idp oidc: server.tls.key: ${path('other.pem')} is not the key of the certificate in ${path('cert.pem')}.`,
    ]);
  });

  verifies(['TLS-10', 'TLS-11'], 'publishes no authority that is not configured', async () => {
    await writeNew();
    configure({ server: { tls: { cert: '../cert.pem', key: '../key.pem' } } });
    const none = await cli('ca', '--config-dir', configDirectory).catch((error) => error);
    expect([none.code, none.stdout]).to.deep.equal([1, '']);
    expect(none.stderr).to.match(/^test-idp: server\.tls has cert and key, but no ca\. .+\n$/);
    const idp = await start();
    expect(idp.caFile).to.equal(undefined);
    expect((await secureClient({ ...idp, caFile: path('ca.pem') })('/ca.pem')).status).to.equal(404);
    await idp.stop();
  });

  verifies('TLS-11', 'lets test-idp ca create the authority before the first start', async () => {
    configure({});
    const { stdout } = await cli('ca', '--config-dir', configDirectory);
    expect(new X509Certificate(stdout).ca).to.equal(true);
    expect(stdout).to.equal(readFileSync(path('keys/tls-ca.pem'), 'utf8'));
    expect((await cli('ca', '--path', '--config-dir', configDirectory)).stdout).to.equal(
      `${path('keys/tls-ca.pem')}\n`,
    );
  });
});

describe('TLS of standalone front ends', function () {
  this.timeout(60_000);
  const tlsFiles = ({ root }: RunningIdp) =>
    readdirSync(join(root, 'keys'))
      .filter((name) => name.startsWith('tls'))
      .sort();

  verifies(
    ['TLS-02', 'TLS-10', 'TLS-13', 'TLS-16'],
    'creates one authority and one leaf when several start at once',
    async () => {
      const plain = await startIdp({ command: 'oidc' });
      try {
        expect((await plain.api('GET', '/ca.pem')).status).to.equal(404);
        expect((await plain.api('GET', '/api/config')).body.server.tls).to.deep.equal({ mode: 'off' });
        expect(tlsFiles(plain)).to.deep.equal([]);
        const start = (command: string) =>
          spawnIdp([command, '--config-dir', plain.configDirectory, '--port', '0', '--tls']);
        const started = await Promise.all(['oidc', 'saml', 'oidc'].map(start));
        try {
          const shown = await Promise.all(started.map(fingerprintOf));
          expect(new Set(shown).size).to.equal(1);
          for (const idp of started) expect((await secureClient(idp)('/health')).status).to.equal(200);
          const [, saml] = started;
          if (saml === undefined) throw new Error('no SAML frontend');
          expect((await secureClient(saml)('/saml/metadata')).body).to.contain(`"${saml.baseUrl}/saml/sso"`);
          expect((await secureClient(saml)('/ca.pem')).status).to.equal(200);
        } finally {
          await Promise.all(started.map((idp) => idp.stop()));
        }
        expect(tlsFiles(plain)).to.deep.equal(['tls-ca-key.pem', 'tls-ca.pem', 'tls-cert.pem', 'tls-key.pem']);
      } finally {
        await plain.stop();
      }
    },
  );

  verifies(
    ['TLS-01', 'TLS-04', 'TLS-08'],
    'is fixed at the start, later names are added, and a configured http issuer causes a warning',
    async () => {
      const idp = await startIdp({ command: 'oidc', settings: { ...demoSettings, server: { tls: 'auto' } } });
      try {
        const secure = secureClient(idp);
        expect(idp.log()).to.contain('oauth.issuer begins with http, although the server uses TLS');
        const agent = new Agent({ keepAlive: true, maxSockets: 1 });
        await secure('/health', { agent });
        writeFileSync(join(idp.configDirectory, 'settings.yaml'), 'server:\n  tls_names: [later.test]\n');
        expect((await secure('/api/config/reload', { method: 'POST', agent })).status).to.equal(200);
        const config = JSON.parse((await secure('/api/config', { agent })).body);
        expect(config.server.tls.mode).to.equal('auto');
        expect(config.server.tls.names).to.include('later.test');
        // The files no longer enable TLS, but the process still uses it.
        expect(config.oauth.issuer).to.equal('https://127.0.0.1:8000');
        const leaf = new X509Certificate(readFileSync(join(idp.root, 'keys', 'tls-cert.pem')));
        expect(leaf.checkHost('later.test')).to.equal('later.test');
        agent.destroy();
        expect((await secure('/health')).status).to.equal(200);
      } finally {
        await idp.stop();
      }
    },
  );
});

function fingerprintOf({ baseUrl }: { readonly baseUrl: string }): Promise<string> {
  return new Promise((resolve, reject) => {
    const place = { port: Number(new URL(baseUrl).port), host: '127.0.0.1', rejectUnauthorized: false };
    const socket = connectTls(place, () => {
      resolve(socket.getPeerX509Certificate()?.fingerprint256 ?? '');
      socket.destroy();
    });
    socket.once('error', reject);
  });
}
