// The REST management API: health, users, test tokens and configuration. Keys, audit, reload and runtime objects have test
// files of their own.

import { expect } from 'chai';
import { instant } from '#shared/base/clock.ts';
import { clientEntryModel } from '#shared/model/configuration/client-entry.ts';
import { web } from '#test/support/credentials.ts';
import { claimsOf, postForm, rawRequest } from '#test/support/http.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { interactive, interactiveUsers, totpSecret } from '#test/support/worlds.ts';

const cimd = 'https://client.example/metadata.json';

describe('REST management API', () => {
  let idp: RunningIdp;

  before(async () => {
    idp = await startIdp({
      world: interactive,
      settings: {
        session: { secret_key: 'cookie-secret-of-the-file' },
        authority_prefixes: { department: 'DEPT_' },
        oauth: {
          issuer_from_request: false,
          client_id_metadata_documents: { enabled: true, allowed_hosts: ['client.example'] },
        },
        saml: { sso_url: 'https://sso.example/in' },
      },
      users: {
        ...interactiveUsers,
        zoe: {
          password: 'z-password',
          description: 'Runs the shop',
          email: 'zoe@shop.example',
          identity_class: 'INTERNAL',
          roles: ['admin'],
          groups: ['shop'],
          entitlements: ['orders'],
          source_acl: ['acl-1'],
          tenant: 'north',
          attributes: { department: 'sales', floor: 3 },
          totp_secret: totpSecret,
        },
      },
    });
    await runtimeUser({ username: 'temp', roles: ['GUEST'] });
  });
  after(() => idp.stop());

  const read = async (path: string) => {
    const response = await fetch(idp.baseUrl + path);
    return { status: response.status, body: await response.json() };
  };
  const post = (path: string, body?: string, headers: Record<string, string> = {}) =>
    fetch(idp.baseUrl + path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body }),
    });
  const runtimeUser = (entry: object) => post('/api/runtime/users', JSON.stringify(entry));
  const token = async (username: string, body?: unknown) => {
    const response = await post(`/api/users/${username}/token`, body === undefined ? undefined : JSON.stringify(body));
    return { status: response.status, body: await response.json(), headers: response.headers };
  };

  verifies('RST-01', 'reports health at both addresses', async () => {
    for (const path of ['/health', '/api/health']) {
      expect(await read(path)).to.deep.equal({ status: 200, body: { status: 'ok' } });
    }
  });

  it('reports readiness', async () => {
    expect(await read('/health/ready')).to.deep.equal({ status: 200, body: { status: 'ready' } });
  });

  verifies('RST-02', 'lists declared and runtime users with their origin', async () => {
    const { status, body } = await read('/api/users');
    expect(status).to.equal(200);
    expect(body.count).to.equal(7);
    expect(body.users).to.have.length(7);
    expect(body.users.find(({ username }: { username: string }) => username === 'zoe')).to.deep.equal({
      username: 'zoe',
      origin: 'declared',
      description: 'Runs the shop',
      email: 'zoe@shop.example',
      identity_class: 'INTERNAL',
      roles: ['admin'],
      groups: ['shop'],
      tenant: 'north',
      has_acl: true,
      has_entitlements: true,
    });
    expect(body.users.at(-1)).to.deep.equal({
      username: 'temp',
      origin: 'runtime',
      description: '',
      email: 'temp@example.org',
      identity_class: null,
      roles: ['GUEST'],
      groups: [],
      tenant: 'default',
      has_acl: false,
      has_entitlements: false,
    });
  });

  verifies('RST-03', 'shows one user with authorities, and returns 404 for an unknown one', async () => {
    expect((await read('/api/users/zoe')).body).to.deep.equal({
      username: 'zoe',
      origin: 'declared',
      claims: {},
      description: 'Runs the shop',
      email: 'zoe@shop.example',
      identity_class: 'INTERNAL',
      entitlements: ['orders'],
      roles: ['admin'],
      groups: ['shop'],
      tenant: 'north',
      source_acl: ['acl-1'],
      attributes: { department: 'sales', floor: 3 },
      authorities: ['ROLE_ADMIN', 'GROUP_SHOP', 'IDENTITY_INTERNAL', 'ENT_orders', 'acl-1', 'DEPT_sales'],
    });
    expect((await read('/api/users/temp')).body.origin).to.equal('runtime');
    const nobody = await read('/api/users/nobody');
    expect(nobody.status).to.equal(404);
    expect(Object.keys(nobody.body)).to.deep.equal(['error']);
  });

  verifies('RST-04', 'shows no secret in any read', async () => {
    const secrets = ['z-password', 'wonderland', totpSecret, 'web-secret', 'cookie-secret-of-the-file'];
    const paths = [
      '/api/users',
      '/api/users/zoe',
      '/api/config',
      '/api/keys/info',
      '/api/audit',
      '/api/audit/stats',
      '/api/runtime/users',
      '/api/runtime/clients',
    ];
    for (const path of paths) {
      const text = await (await fetch(idp.baseUrl + path)).text();
      for (const secret of secrets) expect(text, path).not.to.include(secret);
    }
  });

  verifies('RST-05', 'issues only an access token without scope if no client is named', async () => {
    const { status, body } = await token('zoe');
    expect(status).to.equal(200);
    expect(Object.keys(body).sort()).to.deep.equal(['access_token', 'expires_in', 'token_type']);
    expect([body.token_type, body.expires_in]).to.deep.equal(['Bearer', 3600]);
    const claims = claimsOf(body.access_token);
    expect(claims.sub).to.equal('zoe');
    expect(claims).not.to.have.any.keys('scope', 'client_id');
    expect((await token('temp')).status).to.equal(200);
  });

  verifies('RST-06', 'binds the token to a named client, whose refresh token works', async () => {
    const { body } = await token('zoe', { client_id: 'web' });
    expect(claimsOf(body.access_token).client_id).to.equal('web');
    const refresh = { grant_type: 'refresh_token', refresh_token: body.refresh_token };
    const spent = await postForm(`${idp.baseUrl}/token`, refresh, web);
    expect(spent.status).to.equal(200);
    expect(claimsOf((await spent.json()).access_token).sub).to.equal('zoe');
    await post('/api/runtime/clients', JSON.stringify({ client_id: 'temp-client', client_secret: 's' }));
    expect((await token('zoe', { client_id: 'temp-client' })).body.refresh_token).to.be.a('string');
  });

  verifies('RST-06', 'issues no refresh token to a client of a metadata document', async () => {
    await keepDocument();
    const { status, body } = await token('zoe', { client_id: cimd });
    expect(status).to.equal(200);
    expect(claimsOf(body.access_token).client_id).to.equal(cimd);
    expect(body).not.to.have.property('refresh_token');
  });

  async function keepDocument() {
    await idp.withStore(async ({ metadataDocuments }) => {
      const entry = clientEntryModel.parse({
        client_id: cimd,
        token_endpoint_auth_method: 'none',
        redirect_uris: ['http://127.0.0.1:9/callback'],
      });
      const now = instant(Date.now());
      const freshUntil = instant(now + 3_600_000);
      await metadataDocuments.save({ client_id: cimd, entry, fetchedAt: now, freshUntil }, now);
    });
  }

  verifies('RST-07', 'checks the user before the body, and rejects an unknown client with 400', async () => {
    const nobody = await post('/api/users/nobody/token', 'this is no JSON');
    expect(nobody.status).to.equal(404);
    expect(Object.keys(await nobody.json())).to.deep.equal(['error']);
    const unknown = await token('zoe', { client_id: 'nobody' });
    expect(unknown.status).to.equal(400);
    expect(Object.keys(unknown.body)).to.deep.equal(['error']);
  });

  verifies(
    'RST-08',
    'rejects malformed bodies, non-objects and lifetimes outside 1 to 1440, or that range negated, with 400',
    async () => {
      for (const body of ['{', '[]', '"text"', '17', 'null']) {
        expect((await post('/api/users/zoe/token', body)).status, body).to.equal(400);
      }
      for (const exp_minutes of [0, -1441, 1441, 1.5, '5', true]) {
        expect((await token('zoe', { exp_minutes })).status, String(exp_minutes)).to.equal(400);
      }
      for (const exp_minutes of [-1, -1440]) {
        const { body } = await token('zoe', { exp_minutes });
        const { exp, iat, nbf } = claimsOf(String(body.access_token));
        expect([body.expires_in, Number(exp) - Number(iat), nbf]).to.deep.equal([exp_minutes * 60, 3600, iat]);
        expect(Number(exp) - Date.now() / 1000).to.be.closeTo(exp_minutes * 60, 10);
      }
      const nbf = Math.floor(Date.now() / 1000) + 600;
      expect(claimsOf(String((await token('zoe', { nbf })).body.access_token)).nbf).to.equal(nbf);
      for (const wrong of [-1, 1.5, '1', 1e15]) expect((await token('zoe', { nbf: wrong })).status).to.equal(400);
      for (const exp_minutes of [1, 1440]) {
        const { body } = await token('zoe', { exp_minutes });
        expect(body.expires_in).to.equal(exp_minutes * 60);
        const { iat, exp } = claimsOf(body.access_token);
        expect(Number(exp) - Number(iat)).to.equal(exp_minutes * 60);
      }
      expect((await token('zoe', {})).body.expires_in).to.equal(3600);
    },
  );

  verifies('PKG-27', 'applies extra, scope and resource like the token endpoint', async () => {
    const options = {
      extra: { tier: 'gold' },
      scope: 'openid email',
      resource: 'https://api.example',
      client_id: 'web',
    };
    const { body } = await token('zoe', options);
    expect(claimsOf(body.access_token)).to.include({ tier: 'gold', scope: 'openid email', aud: 'https://api.example' });
    expect(claimsOf(String(body.id_token))).to.include({ sub: 'zoe', aud: 'web' });
    for (const [refused, kind] of [
      [{ extra: { iss: 'https://elsewhere.example' } }, 'invalid_request'],
      [{ scope: ' ' }, 'invalid_scope'],
      [{ resource: 'no-uri' }, 'invalid_target'],
      [{ extra: [] }, undefined],
      [{ scope: 7 }, undefined],
      [{ resource: [7] }, undefined],
    ] as const) {
      const answer = await token('zoe', refused);
      expect([answer.status, answer.body.kind], JSON.stringify(refused)).to.deep.equal([400, kind]);
    }
  });

  verifies('TOK-17', 'accepts any claim name in extra that the token endpoint accepts', async () => {
    const answer = await post('/api/users/zoe/token', '{"extra":{"__proto__":{"admin":true},"constructor":1}}');
    const [, payload = ''] = (await answer.json()).access_token.split('.');
    expect(Buffer.from(payload, 'base64url').toString()).to.contain('"__proto__":{"admin":true},"constructor":1');
  });

  verifies('RST-09', 'forbids caching of success and errors', async () => {
    const answers = [
      await token('zoe'),
      await token('nobody'),
      await token('zoe', { exp_minutes: 0 }),
      await token('zoe', { client_id: 'nobody' }),
    ];
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 404, 400, 400]);
    for (const { headers } of answers) {
      expect([headers.get('cache-control'), headers.get('pragma')]).to.deep.equal(['no-store', 'no-cache']);
    }
  });

  it('records a token_request for each test token', async () => {
    await token('zoe', { exp_minutes: 7, client_id: 'web' });
    const [entry] = (await idp.audit('&event_type=token_request')).slice(-1);
    expect(entry).to.deep.include({
      status: 'success',
      username: 'zoe',
      client_id: 'web',
      endpoint: '/api/users/zoe/token',
      details: { exp_minutes: 7, authorities_count: 6 },
    });
  });

  verifies(
    ['RST-10', 'RST-11', 'RST-12', 'RST-13', 'RST-14', 'TLS-16', 'SSO-01'],
    'shows the configuration with exactly these members',
    async () => {
      const { body } = await read('/api/config');
      expect(body).to.deep.equal({
        config_version: 1,
        config_validation: 'default',
        runtime: { store: 'sqlite', path: `${idp.root}/state/runtime.db` },
        server: {
          allowed_hosts: [],
          host: '127.0.0.1',
          port: 8000,
          rate_limit_enabled: false,
          rate_limit_token_endpoint: '10/minute',
          tls: { mode: 'off' },
        },
        oauth: {
          issuer: 'http://127.0.0.1:8000',
          issuer_from_request: false,
          issuer_from_proxy_headers: false,
          issuer_allowlist: [],
          device_verification_base_url: null,
          base_url: null,
          audience: 'default',
          token_expiry_minutes: 60,
          refresh_token_expiry_minutes: 10080,
          // Only declared clients count, neither the runtime client nor the metadata document.
          clients_count: 4,
          scopes_supported: ['openid', 'profile', 'email', 'offline_access'],
          unknown_scopes: 'reject',
          scope_enforcement: true,
          effective: {
            issuer: 'http://127.0.0.1:8000',
            base_url: 'http://127.0.0.1:8000',
            endpoints: body.oauth.effective.endpoints,
          },
        },
        saml: {
          entity_id: 'http://127.0.0.1:8000/saml',
          sso_url: 'https://sso.example/in',
          slo_url: null,
          entity_id_derived: true,
          sso_url_derived: false,
          default_acs_url: 'http://localhost:8080/login/saml2/sso/samlIdp',
          sign_responses: true,
          sign: 'both',
          c14n_algorithm: 'exc_c14n',
          signature_algorithm: 'rsa-sha256',
          digest_algorithm: null,
          assertion_lifetime_seconds: 300,
          not_before_seconds: 0,
          session_not_on_or_after: 'session',
          strict_binding: false,
          export_roles: false,
          export_groups: false,
          roles_attr_name: 'roles',
          groups_attr_name: 'groups',
        },
        logging: { level: 'INFO', log_token_requests: true, log_saml_requests: true, verbose_logging: true },
        login: { mode: 'password', auto_login: false, auto_login_user: null, two_step: false, totp: false },
        device_flow: { code_expiry_seconds: 600, polling_interval: 5 },
        authority_prefixes: { department: 'DEPT_' },
        allowed_identity_classes: [],
        security_profile: 'dev',
        profile_override: null,
        effective: { require_pkce: false, password_hashing: false, rate_limit_enabled: false, debug: false },
        hooks: { hook_api_version: 1, strict: false, timeout_seconds: 10, shell: [], plugins: [], failed_plugins: [] },
        cors_allowed_originss: null,
        cors_applied_origins: ['*'],
        users_count: 6,
      });
    },
  );

  verifies('RST-18', 'returns 404 for an unknown path, as JSON to programs and as a page to browsers', async () => {
    expect(await read('/api/nothing/here')).to.deep.equal({ status: 404, body: { error: 'not_found' } });
    expect((await post('/api/nothing', '{}')).status).to.equal(404);
    const page = await fetch(`${idp.baseUrl}/nowhere`, { headers: { Accept: 'text/html' } });
    expect(page.status).to.equal(404);
    expect(await page.text()).to.include('<!DOCTYPE html>');
  });

  verifies('RST-18', 'returns 405 with Allow for a method that a path does not serve', async () => {
    const wrong = await rawRequest(`${idp.baseUrl}/api/config`, { method: 'DELETE' });
    expect([wrong.status, wrong.headers.allow]).to.deep.equal([405, 'GET, HEAD, OPTIONS']);
    expect((await rawRequest(`${idp.baseUrl}/api/users/zoe/token`)).headers.allow).to.equal('POST, OPTIONS');
  });

  verifies('RST-18', 'rejects a body that is too large or malformed', async () => {
    const large = await post('/api/users/zoe/token', `{"pad":"${'x'.repeat(1024 * 1024)}"}`);
    expect(large.status).to.equal(413);
    expect((await post('/api/runtime/users', '{"username":')).status).to.equal(400);
  });

  it('deletes nothing for an unknown filter, in a sandbox either', async () => {
    await post('/api/sandboxes', '{"name":"kept"}');
    for (const prefix of ['', '/s/kept']) {
      await post(`${prefix}/api/runtime/users`, '{"username":"stays"}');
      await post(`${prefix}/api/faults`, '{"fault":"token_expired"}');
    }
    const everything = [
      ['DELETE', '/api/runtime'],
      ['DELETE', '/api/faults'],
      ['DELETE', '/api/flows'],
      ['DELETE', '/api/sandboxes'],
      ['DELETE', '/api/sessions'],
      ['DELETE', '/api/consents'],
      ['POST', '/api/audit/clear'],
    ] as const;
    for (const [method, path] of everything) {
      for (const prefix of path === '/api/sandboxes' ? [''] : ['', '/s/kept']) {
        const answer = await fetch(`${idp.baseUrl}${prefix}${path}?client=web`, { method });
        expect(answer.status, prefix + path).to.equal(400);
        const { error, kind } = await answer.json();
        expect(kind).to.equal('invalid');
        expect(error).to.contain('Unknown query parameter');
      }
    }
    expect((await read('/api/sandboxes')).body.count).to.equal(1);
    for (const prefix of ['', '/s/kept']) {
      expect((await read(`${prefix}/api/faults`)).body.count).to.equal(1);
      expect((await read(`${prefix}/api/runtime/users/stays`)).status).to.equal(200);
      const { entries } = (await read(`${prefix}/api/audit?event_type=fault_created`)).body;
      expect(entries).to.have.length(1);
    }
    for (const path of ['/api/sandboxes', '/api/faults', '/api/runtime/users/stays']) {
      expect((await fetch(idp.baseUrl + path, { method: 'DELETE' })).status, path).to.equal(200);
    }
  });

  it('accepts JSON only in UTF-8 without lone surrogates, so that no name turns into another (RFC 8259 §8.1, RFC 7493 §2.1)', async () => {
    const send = async (body: Buffer) => {
      const answer = await fetch(`${idp.baseUrl}/api/runtime/users`, { method: 'POST', body: new Uint8Array(body) });
      return [answer.status, (await answer.json()).kind];
    };
    const before = (await read('/api/users')).body.count;
    for (const body of [
      Buffer.from('{"username":"Jos\u00e9"}', 'latin1'),
      Buffer.from('{"username":"\\ud800x"}'),
      Buffer.from('{"username":"x","attributes":{"\\uDC00":1}}'),
      Buffer.from('\ufeff{"username":"x"}'),
    ]) {
      expect(await send(body)).to.deep.equal([400, 'invalid']);
    }
    expect((await read('/api/users')).body.count).to.equal(before);
    expect(await send(Buffer.from('{"username":"Jos\u00e9 \\ud83d\\ude00 \\\\ud800"}'))).to.deep.equal([
      201,
      undefined,
    ]);
    const name = 'Jos\u00e9 \u{1f600} \\ud800';
    expect((await read(`/api/users/${encodeURIComponent(name)}`)).body.username).to.equal(name);
    await fetch(`${idp.baseUrl}/api/runtime/users/${encodeURIComponent(name)}`, { method: 'DELETE' });
  });
});
