// startIdp: what it takes, what it says of itself, and how it fails (API-01 to API-17).

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { stringify } from 'yaml';
import { freePort } from '#test/support/free-port.ts';
import { basic, claimsOf, postForm } from '#test/support/http.ts';
import { authnRequest, signedQuery } from '#test/support/saml/service-provider.ts';
import { signingKey } from '#test/support/saml/signing-key.ts';
import { apiPath, IdpStartError, pemKeys, rejection, startIdp } from '#test/support/start-api.ts';
import { cliPath } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';

const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

describe('startIdp', function () {
  this.timeout(60_000);
  let keys: Awaited<ReturnType<typeof pemKeys>>;
  let directory: string;
  before(async () => {
    keys = await pemKeys();
  });
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'test-idp-api-'));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  verifies(
    ['API-01', 'API-06'],
    'answers an instance with the demo on one port, SAML and web UI included',
    async () => {
      await using idp = await startIdp({ keys });
      const answers = (form: Record<string, string>, authorization: string) =>
        postForm(`${idp.url}/token`, form, { Authorization: authorization });
      const token = await answers({ grant_type: 'client_credentials' }, basic('demo-client', 'demo-secret'));
      expect(claimsOf((await token.json()).access_token)).to.include({ iss: idp.url, sub: 'demo-client' });
      const ofUser = await idp.token({ user: 'admin' });
      expect(claimsOf(ofUser.access_token).sub).to.equal('admin');
      expect(await (await fetch(idp.samlMetadataUrl)).text()).to.include('EntityDescriptor');
      for (const path of [
        '/',
        '/users',
        '/api/users',
        '/health',
        '/.well-known/jwks.json',
        '/saml/cert.pem',
        '/device',
      ]) {
        expect((await fetch(idp.url + path)).status, path).to.equal(200);
      }
      expect((await fetch(`${idp.url}/mcp`)).status).to.equal(404);
    },
  );

  it('is refused in a few lines where nobody catches it: no line of the program is longer than a screen', () => {
    const script = `import { startIdp } from ${JSON.stringify(apiPath)}; await startIdp({ clinets: [] });`;
    const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
    expect(status).to.equal(1);
    expect(stderr).to.contain('IdpError: Unknown option "clinets" for startIdp(). Did you mean "clients"?');
    for (const line of stderr.split('\n')) expect(line.length, line.slice(0, 200)).to.be.below(1_000);
  });

  verifies('API-02', 'refuses an unknown option by its name, and a known one with the wrong type', async () => {
    const unknown = await rejection(startIdp({ clinets: [] } as object));
    expect([unknown.kind, unknown.message]).to.deep.equal([
      'invalid_option',
      'Unknown option "clinets" for startIdp(). Did you mean "clients"?',
    ]);
    for (const [member, value] of [
      ['port', 'no'],
      ['users', 3],
      ['settings', []],
      ['keys', 3],
      ['log', 'loud'],
      ['signal', {}],
      ['timeout', 0],
      ['profile', 'x'],
    ] as const) {
      const wrong = await rejection(startIdp({ [member]: value }));
      expect([member, wrong.kind], wrong.message).to.deep.equal([member, 'invalid_option']);
      expect(wrong.message).to.include(member);
    }
  });

  // CLU-06: its stacks share the keys that lie there.
  it('refuses keys beside a PostgreSQL store', async () => {
    const runtime = { store: 'postgres', url: 'postgres://idp@db.example/idp' } as const;
    const refused = await rejection(startIdp({ settings: { runtime }, keys }));
    expect([refused.kind, refused.message.split(' ')[0]]).to.deep.equal(['invalid_option', 'keys']);
    expect(refused.message).to.include('runtime.store: postgres');
  });

  verifies(['API-02', 'API-16'], 'listens at the port and under the issuer that it is given', async () => {
    await using idp = await startIdp({ keys, issuer: 'https://idp.example/tenant', host: '127.0.0.1' });
    expect(idp.issuer).to.equal('https://idp.example/tenant');
    const { issuer, jwks_uri } = await (await fetch(idp.discoveryUrl)).json();
    expect([issuer, jwks_uri]).to.deep.equal([idp.issuer, idp.jwksUrl]);
    // What discovery names reaches it, though nobody listens at that name.
    expect((await idp.fetch(jwks_uri)).status).to.equal(200);
    const fixed = idp.port;
    await idp.stop();
    await using again = await startIdp({ keys, port: fixed });
    expect([again.port, again.url]).to.deep.equal([fixed, `http://127.0.0.1:${fixed}`]);
  });

  verifies('API-03', 'judges users, clients and settings by the models of the files, as lists or records', async () => {
    const alice = { password: 'wonderland', roles: ['ADMIN'] };
    const web = { client_secret: 's', redirect_uris: ['https://app.example/cb'] };
    await using listed = await startIdp({
      keys,
      users: [{ username: 'alice', ...alice }],
      clients: [{ client_id: 'web', ...web }],
      settings: { oauth: { audience: 'api' } },
    });
    await using recorded = await startIdp({
      keys,
      users: { alice },
      clients: { web },
      settings: { oauth: { audience: 'api' } },
    });
    expect(recorded.users).to.deep.equal(listed.users);
    expect(recorded.clients).to.deep.equal(listed.clients);
    expect(claimsOf((await listed.token({ user: 'alice', client: 'web' })).access_token)).to.include({
      aud: 'api',
      client_id: 'web',
    });

    const wrong = {
      users: { alice: { roles: 'ADMIN' } },
      clients: { web: { layout: 'round' } },
      settings: { oath: {} },
    };
    // Nobody's compiler would let this pass.
    const refused = await rejection(startIdp(JSON.parse(JSON.stringify(wrong))));
    expect(refused).to.be.instanceOf(IdpStartError).with.property('kind', 'configuration_rejected');
    expect(refused.message).to.include('Unknown key "oath"').and.include('oauth.clients[0].layout');
    await using lenient = await startIdp({ keys, strict: false, settings: { oath: {} } as object });
    expect(lenient.port).to.be.above(0);
  });

  verifies('API-14', 'says of a refused configuration what validate-config says of the same files', async () => {
    const settings = {
      oauth: { clients: [{ client_id: 'web', client_secret: 's', layout: 'round' }], issuer: 3 },
      x: 1,
    };
    writeFileSync(join(directory, 'settings.yaml'), stringify(settings));
    writeFileSync(join(directory, 'users.yaml'), stringify({ users: { alice: { email: 7 } } }));
    const { stdout } = spawnSync(
      process.execPath,
      [cliPath, 'validate-config', '--strict', '--json', '--config-dir', directory],
      { encoding: 'utf8' },
    );
    const told = (findings: readonly { level: string; message: string; file: string | null; path: string | null }[]) =>
      findings
        .map(({ level, message, file, path }) => ({ level, message, file, path }))
        .sort((one, other) => one.message.localeCompare(other.message));
    const refused = await rejection(startIdp(JSON.parse(JSON.stringify({ settings, users: { alice: { email: 7 } } }))));
    if (!(refused instanceof IdpStartError)) throw refused;
    expect(told(refused.findings))
      .to.deep.equal(told(JSON.parse(stdout).findings))
      .with.length.above(2);
  });

  verifies('API-04', 'reads no file and no variable, and leaves placeholders as text', async () => {
    process.env.TEST_IDP_API_TEST = 'from the environment';
    process.env.IDP_MANAGEMENT_SECRET = 'from the environment too';
    try {
      const password = '${TEST_IDP_API_TEST}';
      await using idp = await startIdp({ keys, users: { alice: { password, description: '${TEST_IDP_API_TEST:x}' } } });
      expect(idp.users.alice).to.include({ password, description: '${TEST_IDP_API_TEST:x}' });
      // A management secret of the environment would refuse this.
      expect((await fetch(`${idp.url}/api/audit/clear`, { method: 'POST' })).status).to.equal(200);
    } finally {
      delete process.env.TEST_IDP_API_TEST;
      delete process.env.IDP_MANAGEMENT_SECRET;
    }
  });

  verifies(
    ['API-04', 'SAM-26'],
    'takes certificates of service providers as texts, since it reads no file',
    async () => {
      const sp = await signingKey('sp');
      const saml = { want_authn_requests_signed: true, sp_certificates: [sp.certificatePem] };
      await using idp = await startIdp({ keys, settings: { saml } });
      const url = `/saml/sso?${signedQuery(authnRequest(), sp)}`;
      expect(await idp.login({ url, user: 'admin' }))
        .to.have.property('samlResponse')
        .that.is.a('string');
    },
  );

  verifies('API-05', 'reads the files of configDir, and refuses what would contradict them', async () => {
    const config = join(directory, 'config');
    mkdirSync(config);
    const written = { oauth: { issuer: 'https://idp.example', clients: [{ client_id: 'web', client_secret: 's' }] } };
    writeFileSync(join(config, 'settings.yaml'), stringify(written));
    writeFileSync(join(config, 'users.yaml'), stringify({ users: { alice: { password: '${HOME:x}' } } }));
    for (const member of ['users', 'clients', 'settings'] as const) {
      const refused = await rejection(startIdp({ configDir: config, [member]: {} }));
      expect([refused.kind, refused.message.split(' ')[0]]).to.deep.equal(['invalid_option', member]);
    }
    await using idp = await startIdp({ configDir: config, keys });
    expect(idp.issuer).to.equal('https://idp.example');
    expect([idp.users.alice?.password, idp.clients.web?.client_secret]).to.deep.equal([process.env.HOME ?? 'x', 's']);
    const missing = await rejection(startIdp({ configDir: join(directory, 'nowhere') }));
    expect([missing.kind, missing.message]).to.deep.equal([
      'configuration_rejected',
      `${join(directory, 'nowhere')} does not exist. Name the configuration directory with configDir`,
    ]);
  });

  verifies(['API-05', 'API-09', 'HOK-04'], 'runs on_before_load once, as a stack, too', async () => {
    const config = join(directory, 'config');
    mkdirSync(config);
    const trace = join(directory, 'trace');
    const users = join(config, 'users.yaml');
    const command = `echo run >> ${trace}; echo 'users: {alice: {password: made}}' > ${users}`;
    writeFileSync(join(config, 'settings.yaml'), stringify({ hooks: { on_before_load: command } }));
    for (const stack of [false, true]) {
      writeFileSync(trace, '');
      writeFileSync(users, 'users: {}');
      await using idp = await startIdp({ configDir: config, keys, ...(stack && { stack }) });
      expect([stack, readFileSync(trace, 'utf8')]).to.deep.equal([stack, 'run\n']);
      expect([stack, (await idp.fetch('/api/users/alice')).status]).to.deep.equal([stack, 200]);
      expect([stack, idp.users.alice?.password]).to.deep.equal([stack, 'made']);
    }
  });

  verifies('API-07', 'takes redirect URIs by the rule of the profile, loopback ones at any port', async () => {
    const clients = {
      open: { client_secret: 's' },
      native: { client_secret: 's', redirect_uris: ['http://127.0.0.1/cb'] },
    };
    const ask = async (url: string, client_id: string, redirect_uri: string) => {
      const query = new URLSearchParams({
        response_type: 'code',
        client_id,
        redirect_uri,
        code_challenge: challenge,
        code_challenge_method: 'S256',
      });
      return (await fetch(`${url}/authorize?${query}`, { redirect: 'manual' })).status;
    };
    await using dev = await startIdp({ keys, clients });
    expect(await ask(dev.url, 'open', 'https://anywhere.example/cb')).to.equal(200);
    expect(await ask(dev.url, 'native', 'http://127.0.0.1:49152/cb')).to.equal(200);
    expect(await ask(dev.url, 'native', 'http://127.0.0.1:49152/other')).to.equal(400);
    await using strict = await startIdp({ keys, clients, profile: 'oauth21' });
    expect(await ask(strict.url, 'open', 'https://anywhere.example/cb')).to.equal(400);
    expect(await ask(strict.url, 'native', 'http://127.0.0.1:49152/cb')).to.equal(200);
  });

  verifies('API-12', 'has keys of its own, or those of a pair, a directory or another instance', async () => {
    const kidOf = async ({ jwksUrl }: { readonly jwksUrl: string }) =>
      (await (await fetch(jwksUrl)).json()).keys[0].kid;
    await using own = await startIdp();
    await using given = await startIdp({ keys });
    await using same = await startIdp({ keys: own.keys });
    await using kept = await startIdp({ keys: join(directory, 'keys') });
    await using keptAgain = await startIdp({ keys: join(directory, 'keys') });
    const kids = await Promise.all([own, given, same, kept, keptAgain].map(kidOf));
    expect(kids[2]).to.equal(kids[0]);
    expect(kids[4]).to.equal(kids[3]);
    expect(new Set(kids).size).to.equal(3);
    expect(await given.keys.pem()).to.deep.equal(keys);
    await own.stop();
    await using after = await startIdp({ keys: own.keys });
    expect(await kidOf(after)).to.equal(kids[0]);
    const mixed = await rejection(startIdp({ keys: { ...keys, publicKey: (await own.keys.pem()).publicKey } }));
    expect([mixed.kind, mixed.message]).to.deep.equal([
      'invalid_option',
      'keys is invalid: privateKey and publicKey are not a pair.',
    ]);
    expect(mixed.message).not.to.include('PRIVATE');
  });

  verifies('API-12', 'hands on the pair that its settings name', async () => {
    const [private_key, public_key] = [join(directory, 'own.pem'), join(directory, 'own.pub')];
    writeFileSync(private_key, keys.privateKey);
    writeFileSync(public_key, keys.publicKey);
    await using own = await startIdp({ settings: { jwt: { external_keys: { private_key, public_key } } } });
    await using given = await startIdp({ keys: own.keys });
    expect(await own.keys.pem()).to.deep.equal(keys);
    const jwks = async ({ jwksUrl }: { readonly jwksUrl: string }) => (await (await fetch(jwksUrl)).json()).keys[0].n;
    expect(await jwks(given)).to.equal(await jwks(own));
  });

  verifies('API-02', 'refuses settings that an option decides', async () => {
    for (const [settings, path, option] of [
      [{ server: { port: 8000 } }, 'settings.server.port', 'port'],
      [{ server: { host: '0.0.0.0' } }, 'settings.server.host', 'host'],
      [{ jwt: { keys_dir: '/keys' } }, 'settings.jwt.keys_dir', 'keys'],
      [{ logging: { level: 'DEBUG' } }, 'settings.logging.level', 'log'],
    ] as const) {
      const refused = await rejection(startIdp({ settings: JSON.parse(JSON.stringify(settings)) }));
      expect([refused.kind, refused.message]).to.deep.equal([
        'invalid_option',
        `${path} has no effect in startIdp(). Use the option ${option}.`,
      ]);
    }
  });

  verifies('API-11', 'stands before its key does; what needs the key waits for it', async () => {
    let hand = (_keys: typeof keys) => {};
    const handed = new Promise<typeof keys>((resolve) => {
      hand = resolve;
    });
    await using idp = await startIdp({ keys: { pem: () => handed } });
    const discovery = await fetch(idp.discoveryUrl);
    expect([discovery.status, (await discovery.json()).issuer]).to.deep.equal([200, idp.issuer]);
    let answered = false;
    const asked = Promise.all([fetch(idp.jwksUrl), idp.token()]).finally(() => {
      answered = true;
    });
    expect((await fetch(idp.discoveryUrl)).status).to.equal(200);
    expect(answered).to.equal(false);
    hand(keys);
    const [jwks, { access_token }] = await asked;
    expect((await jwks.json()).keys).to.have.length(1);
    expect(access_token).to.match(/^eyJ/);
  });

  verifies('API-14', 'says as a kind that a port is in use, or that it took too long', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => taken.once('listening', resolve));
    const address = taken.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    try {
      for (const stack of [false, true]) {
        const inUse = await rejection(startIdp({ keys, port: port ?? 0, stack }));
        expect([inUse instanceof IdpStartError, inUse.kind]).to.deep.equal([true, 'address_in_use']);
        expect(inUse.message).to.equal(
          `127.0.0.1:${port} is in use by another program. Stop it, or choose another port with the option port (0 selects a free port)`,
        );
      }
    } finally {
      taken.close();
    }
    const late = await rejection(startIdp({ keys: { pem: () => new Promise(() => {}) }, stack: true, timeout: 50 }));
    expect([late instanceof IdpStartError, late.kind]).to.deep.equal([true, 'timeout']);
  });

  verifies(
    'API-14',
    'takes too long in process, too, where it gives no timer a turn, and leaves nothing listening',
    async () => {
      const port = await freePort();
      const late = await rejection(startIdp({ keys, port, timeout: 1 }));
      expect([late.kind, late.message]).to.deep.equal([
        'timeout',
        'The instance was not ready within 0.001 s, so the start was cancelled.',
      ]);
      await using _free = await startIdp({ keys, port });
    },
  );

  verifies('API-15', 'is ended by its signal, before and after it stands', async () => {
    const reason = new Error('the test is over');
    const thrown = await startIdp({ keys, signal: AbortSignal.abort(reason) }).catch((error: unknown) => error);
    expect(thrown).to.equal(reason);
    const during = new AbortController();
    const starting = startIdp({ keys, signal: during.signal }).catch((error: unknown) => error);
    during.abort(reason);
    expect(await starting).to.equal(reason);
    const after = new AbortController();
    const idp = await startIdp({ keys, signal: after.signal });
    after.abort();
    await idp.stop();
    expect((await rejection(idp.token())).kind).to.equal('stopped');
    await fetch(`${idp.url}/health`).then(
      () => expect.fail('it still answers'),
      () => {},
    );
  });

  verifies(['API-16', 'API-17'], 'says where it is and whom it knows, without a promise', async () => {
    await using idp = await startIdp({
      keys,
      users: { alice: { password: 'wonderland', tenant: 'acme' } },
      clients: { web: { client_secret: 's' } },
    });
    const discovery = await (await fetch(idp.discoveryUrl)).json();
    const metadata = await (await fetch(idp.samlMetadataUrl)).text();
    expect([discovery.issuer, discovery.jwks_uri]).to.deep.equal([idp.issuer, idp.jwksUrl]);
    expect(metadata).to.include(`Location="${idp.samlSsoUrl}"`);
    expect([idp.url, idp.issuer]).to.deep.equal([`http://127.0.0.1:${idp.port}`, idp.url]);
    expect(Object.keys(idp.users)).to.deep.equal(['alice']);
    expect(idp.users.alice).to.include({ username: 'alice', password: 'wonderland', tenant: 'acme' });
    expect(idp.clients.web).to.include({ client_id: 'web', client_secret: 's' });
    await using demo = await startIdp({ keys });
    expect([demo.users.admin?.password, demo.clients['demo-client']?.client_secret]).to.deep.equal([
      'admin',
      'demo-secret',
    ]);
  });
});
