// Dynamic registration: who may register what, what the response contains, and how long its token manages the client.

import { expect } from 'chai';
import { authorizePath, challenge, newBrowser, verifier } from '#test/support/authorization-flow.ts';
import { alice } from '#test/support/credentials.ts';
import { basic, claimsOf } from '#test/support/http.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import {
  type Answer,
  approveDevice,
  beginDevice,
  call,
  codeFor,
  isActive,
  lastEvent,
  pollDevice,
  postTo,
  redeemCode,
  refresh,
  refusalOf,
  token,
  userinfo,
} from '#test/support/token-flows.ts';
import { verifies } from '#test/support/verifies.ts';
import { interactive } from '#test/support/worlds.ts';

const callback = 'http://127.0.0.1:9/callback';
const open = { oauth: { dynamic_registration: { enabled: true } } };
const minimal = { redirect_uris: [callback] };
const notFound = '{"error":"not_found"}';

interface Registration {
  readonly client_id: string;
  readonly client_secret: string;
  readonly registration_access_token: string;
  readonly registration_client_uri: string;
}

function registrationOf(answer: Answer): Registration {
  expect(answer.status, answer.text).to.equal(201);
  return answer.body as unknown as Registration;
}

const bearer = (text: string) => ({ Authorization: `Bearer ${text}` });

function expectUnauthorized(answer: Answer) {
  expect(refusalOf(answer)).to.deep.equal([401, 'invalid_token']);
  expect(answer.headers.get('www-authenticate')).to.equal('Bearer error="invalid_token"');
}

function expectNoStore(answer: Answer) {
  expect([answer.headers.get('cache-control'), answer.headers.get('pragma')]).to.deep.equal(['no-store', 'no-cache']);
}

describe('dynamic registration', () => {
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({ world: interactive, settings: open });
  });
  after(() => idp.stop());

  const send = (body: string, type = 'application/json', headers: Record<string, string> = {}) =>
    call(idp, '/register', { method: 'POST', headers: { 'Content-Type': type, ...headers }, body });
  const register = (metadata: unknown) => send(JSON.stringify(metadata));
  const manage = (registration: Registration, method = 'GET', text = registration.registration_access_token) =>
    call(idp, `/register/${registration.client_id}`, { method, headers: bearer(text) });
  const runtime = (path: string, method: string) => call(idp, `/api/runtime${path}`, { method });

  async function under(settings: Record<string, unknown>, run: () => Promise<void>) {
    await idp.configure({ settings });
    try {
      await run();
    } finally {
      await idp.configure({ settings: open });
    }
  }

  verifies(['DCR-01', 'DCR-29'], 'has no paths while the feature is off, and keeps registered clients', async () => {
    const registration = registrationOf(await register(minimal));
    await under({}, async () => {
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        for (const path of ['/register', `/register/${registration.client_id}`]) {
          const headers = bearer(registration.registration_access_token);
          const answer = await call(idp, path, { method, headers });
          expect([answer.status, answer.text], `${method} ${path}`).to.deep.equal([404, notFound]);
        }
      }
      const headers = { Authorization: basic(registration.client_id, registration.client_secret) };
      expect((await token(idp, { grant_type: 'client_credentials' }, headers)).status).to.equal(200);
    });
    expect((await manage(registration)).status).to.equal(200);
  });

  verifies('DCR-02', 'needs no credential, not even the management secret', async () => {
    // The reload in `configure` is already gated by the new file. The next request loads that file.
    await idp.configure({ settings: { ...open, management_secret: 'sesame' } }).catch(() => {});
    expect((await runtime('', 'DELETE')).status).to.equal(401);
    try {
      const registration = registrationOf(await register(minimal));
      expect((await manage(registration)).status).to.equal(200);
      expect((await manage(registration, 'DELETE')).status).to.equal(204);
    } finally {
      await idp.configure({ settings: open }).catch(() => {});
    }
  });

  verifies('DCR-03', 'requires a JSON object sent as application/json', async () => {
    const text = JSON.stringify(minimal);
    expect((await send(text, 'application/json; charset=utf-8')).status).to.equal(201);
    for (const [body, type] of [
      [text, 'text/plain'],
      [text, 'application/x-www-form-urlencoded'],
      [text, 'application/jsonx'],
      ['', 'application/json'],
      ['{', 'application/json'],
      ['[]', 'application/json'],
      ['[{}]', 'application/json'],
      ['null', 'application/json'],
      ['"x"', 'application/json'],
      ['1', 'application/json'],
      [`${'['.repeat(20_000)}`, 'application/json'],
      [text.replace('{', '{"client_name":"\\ud800",'), 'application/json'],
    ] as const) {
      const answer = await send(body, type);
      expect(refusalOf(answer), `${type} ${body.slice(0, 20)}`).to.deep.equal([400, 'invalid_client_metadata']);
      expectNoStore(answer);
    }
  });

  verifies('DCR-04', 'reports the first failing check', async () => {
    const wrong = { grant_types: 'x', token_endpoint_auth_method: 'x', redirect_uris: [], scope: 1, client_name: 1 };
    const descriptionOf = async (metadata: object) => String((await register(metadata)).body.error_description);
    expect(await descriptionOf(wrong)).to.contain("'grant_types'");
    expect(await descriptionOf({ ...wrong, grant_types: [] })).to.contain("'token_endpoint_auth_method'");
    const third = { ...wrong, grant_types: [], token_endpoint_auth_method: 'none' };
    expect(await descriptionOf(third)).to.contain("'redirect_uris'");
    expect(await descriptionOf({ ...third, ...minimal })).to.contain("'scope'");
    expect(await descriptionOf({ ...third, ...minimal, scope: '' })).to.contain("'client_name'");
  });

  verifies(['DCR-05', 'DCR-06'], 'echoes supported grants without enforcing them', async () => {
    const echoed = async (grantTypes: unknown) => (await register({ ...minimal, grant_types: grantTypes })).body;
    expect((await register(minimal)).body.grant_types).to.deep.equal(['authorization_code']);
    expect((await echoed([])).grant_types).to.deep.equal(['authorization_code']);
    const all = ['password', 'urn:ietf:params:oauth:grant-type:device_code', 'refresh_token', 'client_credentials'];
    expect((await echoed(all)).grant_types).to.deep.equal(all);
    for (const bad of ['authorization_code', { a: 1 }, [1], ['implicit'], ['authorization_code', 'urn:x']]) {
      expect((await echoed(bad)).error, JSON.stringify(bad)).to.equal('invalid_client_metadata');
    }
    await under({ ...open, security_profile: 'oauth21' }, async () => {
      expect((await echoed(['password'])).error).to.equal('invalid_client_metadata');
      expect((await echoed(['refresh_token'])).grant_types).to.deep.equal(['refresh_token']);
    });
    const registration = registrationOf(await register({ ...minimal, grant_types: ['refresh_token'] }));
    const headers = { Authorization: basic(registration.client_id, registration.client_secret) };
    expect((await token(idp, { grant_type: 'client_credentials' }, headers)).status).to.equal(200);
  });

  verifies(['DCR-07', 'DCR-16'], 'accepts three methods, and issues a secret for those that use one', async () => {
    for (const method of [undefined, 'client_secret_basic', 'client_secret_post'] as const) {
      const { body } = await register({ ...minimal, token_endpoint_auth_method: method });
      expect(body.token_endpoint_auth_method).to.equal(method ?? 'client_secret_basic');
      expect(body.client_secret).to.be.a('string').with.lengthOf.at.least(32);
      expect(body.client_secret_expires_at).to.equal(0);
    }
    const { body } = await register({ ...minimal, token_endpoint_auth_method: 'none' });
    expect(body.token_endpoint_auth_method).to.equal('none');
    expect(body).not.to.have.any.keys('client_secret', 'client_secret_expires_at');
    for (const bad of ['private_key_jwt', 'client_secret_jwt', 'NONE', '', 1, ['none']]) {
      expect(refusalOf(await register({ ...minimal, token_endpoint_auth_method: bad }))).to.deep.equal([
        400,
        'invalid_client_metadata',
      ]);
    }
  });

  verifies(
    ['DCR-08', 'DCR-09'],
    'requires a non-empty list of redirect_uris that /authorize would accept',
    async () => {
      const bad = [
        undefined,
        [],
        [''],
        ['callback'],
        ['/callback'],
        ['//host/cb'],
        ['https://a/#'],
        ['https://a/#x'],
        ['http:'],
        ['http:///cb'],
        ['http:\\\\host\\cb'],
        ['http://host/\tcb'],
        ['javascript:alert(1)'],
        ['localhost:3000/cb'],
        [callback, 'x'],
      ];
      for (const uris of bad) {
        for (const grants of [['authorization_code'], ['client_credentials']]) {
          const answer = await register({ redirect_uris: uris, grant_types: grants });
          expect(refusalOf(answer), JSON.stringify(uris)).to.deep.equal([400, 'invalid_redirect_uri']);
        }
      }
      for (const uris of [callback, {}, 1, [1], [callback, null], [[callback]]]) {
        expect(refusalOf(await register({ redirect_uris: uris }))).to.deep.equal([400, 'invalid_client_metadata']);
      }
      const good = ['https://app.example/cb?x=1', 'com.example.app:/cb', 'http://[::1]:1/', 'HTTPS://APP.example/%2f'];
      expect((await register({ redirect_uris: good })).body.redirect_uris).to.deep.equal(good);
    },
  );

  verifies(['DCR-10', 'DCR-11', 'DCR-12'], 'narrows the scope to the current vocabulary', async () => {
    const scopeOf = async (scope: unknown) => (await register({ ...minimal, scope })).body.scope;
    expect(await scopeOf('email admin openid email')).to.equal('email openid');
    for (const blank of [undefined, '', '   '])
      expect(await scopeOf(blank)).to.equal('openid profile email offline_access');
    for (const bad of ['admin', 'admin root', 1, ['openid']]) {
      expect(refusalOf(await register({ ...minimal, scope: bad }))).to.deep.equal([400, 'invalid_client_metadata']);
    }
    await under({ oauth: { ...open.oauth, scopes_supported: ['openid', 'api:read'] } }, async () => {
      expect(await scopeOf(undefined)).to.equal('openid api:read');
      expect(await scopeOf('email api:read')).to.equal('api:read');
    });
    const registration = registrationOf(await register({ ...minimal, scope: 'openid' }));
    const headers = { Authorization: basic(registration.client_id, registration.client_secret) };
    const wider = await token(idp, { grant_type: 'client_credentials', scope: 'email' }, headers);
    expect(refusalOf(wider)).to.deep.equal([400, 'invalid_scope']);
  });

  verifies('DCR-13', 'stores client_name as description and echoes it if it was sent', async () => {
    const named = await register({ ...minimal, client_name: 'Zoë\u2019s <b>app</b>' });
    expect(named.body.client_name).to.equal('Zoë\u2019s <b>app</b>');
    const listed = await call(idp, `/api/runtime/clients/${String(named.body.client_id)}`);
    expect(listed.body.description).to.equal('Zoë\u2019s <b>app</b>');
    expect((await register({ ...minimal, client_name: '' })).body.client_name).to.equal('');
    expect((await register(minimal)).body).not.to.have.property('client_name');
    for (const bad of [1, true, ['x'], {}]) {
      expect(refusalOf(await register({ ...minimal, client_name: bad }))).to.deep.equal([
        400,
        'invalid_client_metadata',
      ]);
    }
  });

  it('shows the registered client_name on the login page beside the client_id, escaped', async () => {
    const named = await register({ ...minimal, client_name: 'Zoë <b>app</b>' });
    const clientId = String(named.body.client_id);
    const page = await newBrowser(idp).get(authorizePath({ client_id: clientId, redirect_uri: callback }));
    expect(page.status).to.equal(200);
    expect(page.body).to.include('Zoë &lt;b>app').and.include(clientId);
    expect(page.body).not.to.include('<b>app');
  });

  verifies(['DCR-05', 'DCR-08', 'DCR-10', 'DCR-13'], 'ignores a member that is null', async () => {
    const nothing = { grant_types: null, token_endpoint_auth_method: null, scope: null, client_name: null };
    const { body } = await register({ ...minimal, ...nothing, response_types: null, post_logout_redirect_uris: null });
    expect(body.grant_types).to.deep.equal(['authorization_code']);
    expect(body.scope).to.equal('openid profile email offline_access');
    expect(body).not.to.have.any.keys('client_name', 'post_logout_redirect_uris');
    expect(refusalOf(await register({ redirect_uris: null }))).to.deep.equal([400, 'invalid_redirect_uri']);
  });

  verifies(
    'DCR-14',
    'checks, echoes and follows post_logout_redirect_uris, and accepts only code as response_types (D51)',
    async () => {
      const bye = ['https://app.example/bye', 'com.example.app:/bye'];
      const { body } = await register({ ...minimal, post_logout_redirect_uris: bye, response_types: ['code'] });
      expect(body.post_logout_redirect_uris).to.deep.equal(bye);
      const ended = async (address: string) => {
        const query = new URLSearchParams({ client_id: String(body.client_id), post_logout_redirect_uri: address });
        return (await call(idp, `/logout?${query}`, { redirect: 'manual' })).headers.get('location');
      };
      expect([await ended(bye[0] ?? ''), await ended('https://app.example/other')]).to.deep.equal([bye[0], null]);
      for (const bad of [
        { post_logout_redirect_uris: 'https://app.example/bye' },
        { post_logout_redirect_uris: [1] },
        { post_logout_redirect_uris: ['/bye'] },
        { response_types: 'code' },
        { response_types: ['code', 'token'] },
        { response_types: ['id_token'] },
      ]) {
        expect(refusalOf(await register({ ...minimal, ...bad })), JSON.stringify(bad)).to.deep.equal([
          400,
          'invalid_client_metadata',
        ]);
      }
    },
  );

  verifies('DCR-14', 'ignores other members', async () => {
    const others = {
      client_id: 'chosen-by-me',
      client_secret: 'chosen-by-me',
      logo_uri: 'http://169.254.169.254/',
      jwks_uri: 7,
      'client_name#de': 'Anwendung',
      software_statement: 'x',
      allowed_resources: ['https://a/'],
      constructor: 1,
    };
    const { body } = await register({ ...minimal, ...others });
    expect(Object.keys(body)).to.have.members([
      'client_id',
      'client_id_issued_at',
      'client_secret',
      'client_secret_expires_at',
      'redirect_uris',
      'token_endpoint_auth_method',
      'grant_types',
      'scope',
      'registration_access_token',
      'registration_client_uri',
    ]);
    expect(JSON.stringify(body)).not.to.contain('chosen-by-me');
  });

  verifies('DCR-15', 'returns 201 with what the client needs to know', async () => {
    const before = Math.floor(Date.now() / 1000);
    const answer = await register({
      ...minimal,
      token_endpoint_auth_method: 'none',
      scope: 'openid',
      client_name: 'App',
    });
    const after = Math.ceil(Date.now() / 1000);
    expect(answer.status).to.equal(201);
    expectNoStore(answer);
    const { client_id: id, client_id_issued_at: at, registration_access_token: secret, ...rest } = answer.body;
    expect(id).to.match(/^dcr-[\w-]{20,}$/);
    expect(at).to.be.within(before, after);
    expect(secret).to.match(/^[\w-]{40,}$/);
    expect(rest).to.deep.equal({
      redirect_uris: [callback],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code'],
      scope: 'openid',
      client_name: 'App',
      registration_client_uri: `${idp.baseUrl}/register/${String(id)}`,
    });
    const another = await register(minimal);
    expect(another.body.client_id).not.to.equal(id);
  });

  verifies('DCR-17', 'creates a client that works at once in every flow', async () => {
    const registration = registrationOf(await register(minimal));
    const headers = { Authorization: basic(registration.client_id, registration.client_secret) };
    const asked = { client_id: registration.client_id };
    const tokens = await redeemCode(idp, await codeFor(idp, asked), {}, headers);
    expect(claimsOf(String(tokens.body.id_token)).aud).to.equal(registration.client_id);
    expect((await refresh(idp, String(tokens.body.refresh_token), {}, headers)).status).to.equal(200);
    const password = { grant_type: 'password', username: 'alice', password: 'wonderland' };
    expect((await token(idp, password, headers)).status).to.equal(200);
    const device = await beginDevice(idp, {}, headers);
    await approveDevice(idp, device.user_code);
    expect((await pollDevice(idp, device.device_code, {}, headers)).status).to.equal(200);
    expect(
      (await postTo(idp, '/introspect', { token: String(tokens.body.access_token) }, headers)).body.active,
    ).to.equal(true);
    expect((await postTo(idp, '/revoke', { token: String(tokens.body.access_token) }, headers)).status).to.equal(200);
    const app = registrationOf(await register({ ...minimal, token_endpoint_auth_method: 'none' }));
    const pkce = { client_id: app.client_id, code_challenge: challenge, code_challenge_method: 'S256' };
    const fields = { client_id: app.client_id, code_verifier: verifier };
    expect((await redeemCode(idp, await codeFor(idp, pkce), fields, {})).status).to.equal(200);
  });

  verifies('DCR-18', 'lists the client as a runtime client of source dcr', async () => {
    const registration = registrationOf(await register(minimal));
    const one = await call(idp, `/api/runtime/clients/${registration.client_id}`);
    expect(one.body).to.include({ client_id: registration.client_id, origin: 'runtime', source: 'dcr' });
  });

  verifies(
    ['DCR-19', 'DCR-20'],
    'limits live registrations to max_clients, and frees a slot when one ends',
    async () => {
      await runtime('', 'DELETE');
      await under({ oauth: { dynamic_registration: { enabled: true, max_clients: 2 } } }, async () => {
        const first = registrationOf(await register(minimal));
        registrationOf(await register(minimal));
        const full = await register(minimal);
        expect(refusalOf(full)).to.deep.equal([429, 'registration_limit_reached']);
        expectNoStore(full);
        await idp.setClock(400 * 24 * 3600_000);
        expect((await register(minimal)).status).to.equal(429);
        await idp.setClock(0);
        expect((await manage(first, 'DELETE')).status).to.equal(204);
        const third = registrationOf(await register(minimal));
        expect((await register(minimal)).status).to.equal(429);
        expect((await runtime(`/clients/${third.client_id}`, 'DELETE')).status).to.equal(200);
        const fourth = registrationOf(await register(minimal));
        expect((await register(minimal)).status).to.equal(429);
        expect((await runtime(`/clients/${fourth.client_id}/promote`, 'POST')).status).to.equal(200);
        registrationOf(await register(minimal));
        expect((await register(minimal)).status).to.equal(429);
        expect((await runtime('', 'DELETE')).status).to.equal(200);
        registrationOf(await register(minimal));
      });
      await runtime('', 'DELETE');
    },
  );

  it('reserves half of the slots for clients that no page of another site registers', async () => {
    await runtime('', 'DELETE');
    await under({ oauth: { dynamic_registration: { enabled: true, max_clients: 4 } } }, async () => {
      const byPage = (headers: Record<string, string>) => send(JSON.stringify(minimal), 'application/json', headers);
      const [evil, old] = [{ Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' }, { Origin: 'null' }];
      const registered = registrationOf(await byPage(evil));
      registrationOf(await byPage(old));
      for (const headers of [evil, old]) {
        const refused = await byPage(headers);
        expect(refusalOf(refused)).to.deep.equal([429, 'registration_limit_reached']);
        expect(refused.body.error_description).to.contain('2 of 4').and.to.contain('cors_allowed_origins');
      }
      registrationOf(await byPage({ Origin: idp.baseUrl, 'Sec-Fetch-Site': 'same-origin' }));
      expect((await manage(registered, 'DELETE')).status).to.equal(204);
      registrationOf(await byPage(evil));
      registrationOf(await register(minimal));
      expect((await register(minimal)).status).to.equal(429);
    });
    await runtime('', 'DELETE');
  });

  verifies('DCR-19', 'accepts exactly as many simultaneous registrations as slots exist', async () => {
    await under({ oauth: { dynamic_registration: { enabled: true, max_clients: 5 } } }, async () => {
      const answers = await Promise.all(Array.from({ length: 20 }, () => register(minimal)));
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([...Array(5).fill(201), ...Array(15).fill(429)]);
    });
    await runtime('', 'DELETE');
  });

  verifies('DCR-21', 'leaves a live client or nothing when a reset interrupts it', async () => {
    let interrupted = 0;
    for (let round = 0; round < 30; round += 1) {
      const [answer] = await Promise.all([register(minimal), runtime('', 'DELETE')]);
      const listed = await call(idp, '/api/runtime/clients');
      const count = Number(listed.body.count);
      if (answer.status === 201) {
        const managed = await manage(registrationOf(answer));
        expect(managed.status, managed.text).to.equal(count === 1 ? 200 : 401);
      } else {
        interrupted += 1;
        expect(refusalOf(answer)).to.deep.equal([400, 'invalid_client_metadata']);
        expect(answer.body.error_description).to.contain('retry');
        expect(count).to.equal(0);
      }
      await runtime('', 'DELETE');
    }
    expect(interrupted).to.be.within(0, 30);
  });

  verifies(
    ['DCR-22', 'DCR-23'],
    'returns the registration with secret and token for its token, which no other page shows',
    async () => {
      const answer = await register({ ...minimal, client_name: 'App', scope: 'openid' });
      const registration = registrationOf(answer);
      const read = await manage(registration);
      expect(read.status).to.equal(200);
      expectNoStore(read);
      expect(read.body).to.deep.equal(answer.body);
      const text = registration.registration_access_token;
      for (const scheme of ['bearer', 'BEARER']) {
        const headers = { Authorization: `${scheme} ${text}` };
        expect((await call(idp, `/register/${registration.client_id}`, { headers })).status).to.equal(200);
      }
      for (const path of [
        '/api/runtime/clients',
        `/api/runtime/clients/${registration.client_id}`,
        '/api/config',
        '/api/audit?limit=-1',
        '/clients',
      ]) {
        expect((await call(idp, path)).text, path).not.to.contain(text);
      }
      expect(idp.log()).not.to.contain(text);
      await idp.withStore(async ({ identities }) => {
        expect(JSON.stringify(await identities.listClients())).not.to.contain(text);
      });
    },
  );

  verifies('DCR-24', 'removes client and registration on DELETE', async () => {
    const registration = registrationOf(await register(minimal));
    const removed = await manage(registration, 'DELETE');
    expect([removed.status, removed.text]).to.deep.equal([204, '']);
    expectUnauthorized(await manage(registration));
    expectUnauthorized(await manage(registration, 'DELETE'));
    expect((await call(idp, `/api/runtime/clients/${registration.client_id}`)).status).to.equal(404);
    const headers = { Authorization: basic(registration.client_id, registration.client_secret) };
    expect((await token(idp, { grant_type: 'client_credentials' }, headers)).body.error).to.equal('invalid_client');
  });

  verifies(['DCR-24', 'INT-02', 'UIN-04'], 'revokes the tokens of the client on DELETE (RFC 7592 §2.3)', async () => {
    const registration = registrationOf(await register(minimal));
    const headers = { Authorization: basic(registration.client_id, registration.client_secret) };
    const own = await token(idp, { grant_type: 'client_credentials' }, headers);
    const users = await token(idp, { grant_type: 'password', ...alice, scope: 'openid' }, headers);
    const issued = [own.body.access_token, users.body.access_token, users.body.refresh_token].map(String);
    expect(await Promise.all(issued.map((each) => isActive(idp, each)))).to.deep.equal([true, true, true]);
    await manage(registration, 'DELETE');
    expect(await Promise.all(issued.map((each) => isActive(idp, each)))).to.deep.equal([false, false, false]);
    expectUnauthorized(await userinfo(idp, issued[1]));
    // A new client of the same name is another client, whose tokens are valid.
    const { client_id } = registration;
    await idp.api('POST', '/api/runtime/clients', { client_id, client_secret: 'x' });
    const next = await token(idp, { grant_type: 'client_credentials' }, { Authorization: basic(client_id, 'x') });
    expect(await isActive(idp, String(next.body.access_token))).to.equal(true);
  });

  verifies('DCR-25', 'gives the same response to a missing or wrong token and an unknown registration', async () => {
    const registration = registrationOf(await register(minimal));
    const stranger = registrationOf(await register(minimal));
    const path = `/register/${registration.client_id}`;
    const answers: Answer[] = [];
    for (const method of ['GET', 'DELETE']) {
      answers.push(
        await call(idp, path, { method }),
        await call(idp, path, { method, headers: bearer('wrong') }),
        await call(idp, path, { method, headers: { Authorization: 'Bearer' } }),
        await call(idp, path, {
          method,
          headers: { Authorization: basic(registration.client_id, registration.registration_access_token) },
        }),
        await manage(registration, method, stranger.registration_access_token),
        await manage(registration, method, registration.client_secret),
        await call(idp, '/register/dcr-nobody', { method, headers: bearer(registration.registration_access_token) }),
        await call(idp, '/register/web', { method, headers: bearer('web-secret') }),
        await call(idp, '/register/__proto__', { method, headers: bearer('x') }),
      );
    }
    for (const answer of answers) {
      expectUnauthorized(answer);
      expect(answer.text).to.equal(answers[0]?.text);
    }
    expect((await manage(registration)).status).to.equal(200);
  });

  verifies('DCR-26', 'keeps rejecting the token of a removed registration when the name is created again', async () => {
    const registration = registrationOf(await register(minimal));
    await manage(registration, 'DELETE');
    const created = await call(idp, '/api/runtime/clients', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ client_id: registration.client_id, client_secret: 's' }),
    });
    expect(created.status, created.text).to.equal(201);
    expectUnauthorized(await manage(registration));
    expectUnauthorized(await manage(registration, 'DELETE'));
    expect((await call(idp, `/api/runtime/clients/${registration.client_id}`)).body).not.to.have.property('source');
  });

  verifies('DCR-27', 'ends management on promotion, removal, reset and a reload that declares the client', async () => {
    const removed = registrationOf(await register(minimal));
    await runtime(`/clients/${removed.client_id}`, 'DELETE');
    expectUnauthorized(await manage(removed));
    const promoted = registrationOf(await register(minimal));
    expect((await runtime(`/clients/${promoted.client_id}/promote`, 'POST')).status).to.equal(200);
    expectUnauthorized(await manage(promoted));
    const reset = registrationOf(await register(minimal));
    await runtime('', 'DELETE');
    expectUnauthorized(await manage(reset));
    const declared = registrationOf(await register(minimal));
    await idp.configure({
      settings: open,
      clients: [{ client_id: declared.client_id, client_secret: 'from-the-file' }],
    });
    expectUnauthorized(await manage(declared));
    expectUnauthorized(await manage(declared, 'DELETE'));
    const headers = { Authorization: basic(declared.client_id, 'from-the-file') };
    expect((await token(idp, { grant_type: 'client_credentials' }, headers)).status).to.equal(200);
    await idp.configure({ settings: open });
    expectUnauthorized(await manage(declared));
  });

  verifies('DCR-28', 'rejects PUT with 405', async () => {
    const registration = registrationOf(await register(minimal));
    const answer = await manage(registration, 'PUT');
    expect(answer.status).to.equal(405);
    expect(answer.headers.get('allow')?.split(', ')).to.include.members(['GET', 'DELETE']);
    expect(answer.headers.get('cache-control')).to.equal(null);
    expect((await call(idp, '/register')).headers.get('allow')).to.contain('POST');
    expect((await call(idp, '/register')).status).to.equal(405);
  });

  verifies('HDR-10', 'names only served methods in a preflight', async () => {
    const preflight = async (path: string) => {
      const headers = { Origin: 'http://app.example', 'Access-Control-Request-Method': 'PUT' };
      return (await call(idp, path, { method: 'OPTIONS', headers })).headers.get('access-control-allow-methods');
    };
    expect(await preflight('/register')).to.equal('POST, OPTIONS');
    expect(await preflight('/register/some-client')).to.equal('GET, DELETE, HEAD, OPTIONS');
  });

  it('records registrations, rejections and removals, without rejected credentials', async () => {
    const answer = await register({
      ...minimal,
      grant_types: ['refresh_token'],
      token_endpoint_auth_method: 'client_secret_post',
    });
    const registration = registrationOf(answer);
    expect(await lastEvent(idp, 'client_registered')).to.deep.include({
      status: 'success',
      client_id: registration.client_id,
      endpoint: '/register',
      details: { token_endpoint_auth_method: 'client_secret_post', grant_types: ['refresh_token'] },
    });
    await register({});
    const refused = await lastEvent(idp, 'client_registration_refused');
    expect(refused).to.deep.include({ status: 'failed', endpoint: '/register' });
    expect(refused?.details.error).to.equal('invalid_redirect_uri');
    const before = (await idp.audit()).length;
    await manage(registration, 'GET', 'wrong');
    await manage(registration, 'DELETE', 'wrong');
    await manage(registration);
    expect(await idp.audit()).to.have.length(before);
    await manage(registration, 'DELETE');
    expect(await lastEvent(idp, 'client_registration_deleted')).to.deep.include({
      status: 'success',
      client_id: registration.client_id,
    });
    const auditText = JSON.stringify(await idp.audit());
    expect(auditText).not.to.contain(registration.client_secret);
    expect(auditText).not.to.contain(registration.registration_access_token);
  });

  it('survives hostile metadata', async () => {
    const hostile = ['\u0000', '\r\nX: y', '\ud800', 'x'.repeat(65_536), { a: [{}] }, [[[]]], -1, true];
    for (const value of hostile) {
      for (const name of ['redirect_uris', 'grant_types', 'scope', 'client_name', 'token_endpoint_auth_method']) {
        for (const sent of [value, [value]]) {
          const answer = await register({ ...minimal, [name]: sent });
          expect(answer.status, `${name} ${answer.text.slice(0, 200)}`).to.be.oneOf([201, 400]);
        }
      }
    }
    await runtime('', 'DELETE');
  });
});
