// Further forms of authorization requests and answers: posted ones, request objects, and the implicit flow.
import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { UnsecuredJWT } from 'jose';
import { authorizePath, codeOf, newBrowser, redeem } from '#test/support/authorization-flow.ts';
import { fieldOf, type Page, redirectParameters } from '#test/support/browser-client.ts';
import { type ClientKey, clientKey } from '#test/support/client-keys.ts';
import { claimsOf } from '#test/support/http.ts';
import { type MetadataHost, startMetadataHost } from '#test/support/metadata-host.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { createTestAuthority } from '#test/support/test-authority.ts';
import { call, lastEvent, userinfo } from '#test/support/token-flows.ts';
import { verifies } from '#test/support/verifies.ts';
import { callback, interactive } from '#test/support/worlds.ts';

const alice = { username: 'alice', password: 'wonderland' };
const users = {
  alice: { password: 'wonderland', email: 'alice@example.org', claims: { name: 'Alice Liddell' } },
  bob: { password: 'builder' },
};
const login = { session: 'on' };
const elsewhere = { Origin: 'https://rp.example', 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate' };

const fragmentOf = (page: Page) => {
  expect(page.status, page.text).to.equal(302);
  return new URLSearchParams(new URL(page.location ?? '').hash.slice(1));
};
const unsigned = (claims: Record<string, unknown>) => new UnsecuredJWT(claims).encode();

describe('forms of authorization requests', () => {
  let idp: RunningIdp;
  let host: MetadataHost;
  let key: ClientKey;
  let objects: string;
  const clients = () => [
    {
      client_id: 'signing',
      client_secret: 's',
      redirect_uris: [callback],
      jwks: { keys: [key.jwk] },
      request_uris: [`${objects}/request`, `${objects}/request#digest`, 'https://elsewhere.example/request'],
    },
  ];
  const configure = (oauth: object) => idp.configure({ users, settings: { login, oauth }, clients: clients() });

  before(async () => {
    key = await clientKey('one');
    host = await startMetadataHost(await createTestAuthority());
    objects = `https://localhost:${host.port}`;
    idp = await startIdp({ world: interactive, users, settings: { login }, clients: clients() });
  });
  after(async () => {
    await idp.stop();
    await host.close();
  });

  const discovery = async () => (await call(idp, '/.well-known/openid-configuration')).body;

  describe('posted', () => {
    before(() => configure({ authorize_by_post: true }));
    after(() => configure({}));
    const request = { response_type: 'code', client_id: 'web', redirect_uri: callback, state: 'a b&c' };

    verifies(
      ['SSO-47', 'SSO-K07', 'SSO-M04'],
      'a posted request becomes the GET of the same parameters, from whichever site it comes',
      async () => {
        const browser = newBrowser(idp);
        const answered = await browser.post('/authorize', request, elsewhere);
        expect(answered.status, answered.text).to.equal(303);
        const to = new URL(answered.location ?? '', idp.baseUrl);
        expect([to.pathname, Object.fromEntries(to.searchParams)]).to.deep.equal(['/authorize', request]);
        const done = await browser.submit(await browser.get(to.pathname + to.search), alice);
        expect(redirectParameters(done).get('state')).to.equal('a b&c');
        codeOf(done);
        const doubled = await browser.post('/authorize', [
          ...Object.entries(request),
          ['resource', 'urn:a'],
          ['resource', 'urn:b'],
        ]);
        expect(new URL(doubled.location ?? '', idp.baseUrl).searchParams.getAll('resource')).to.have.length(2);
      },
    );

    verifies('SSO-47', 'what is longer than 8 KiB is refused, and every other post is a step of a login', async () => {
      const browser = newBrowser(idp);
      const length = new URLSearchParams(request).toString().length;
      const padded = (bytes: number) => ({ ...request, x: 'x'.repeat(bytes - length - '&x='.length) });
      expect((await browser.post('/authorize', padded(8192))).status).to.equal(303);
      const long = await browser.post('/authorize', padded(8193));
      expect([long.status, JSON.parse(long.body).error]).to.deep.equal([400, 'invalid_request']);
      const ofPages = ['transaction_id', 'username', 'password', 'totp_code', 'account', 'use_another', 'consent'];
      for (const name of [...ofPages, 'cancel', 'change_username', 'fill_username']) {
        expect((await browser.post('/authorize', { ...request, [name]: '' })).status, name).to.equal(400);
      }
      const { client_id, ...others } = request;
      for (const [path, fields] of [
        ['/authorize', others],
        ['/authorize', { client_id, redirect_uri: callback }],
        ['/authorize?x=1', request],
      ] as const) {
        const answered = await browser.post(path, fields);
        expect(answered.status).to.equal(400);
        // What was missing, and not that the query alone is read.
        expect(JSON.parse(answered.body).error_description).to.contain('needs response_type and client_id');
      }
    });

    verifies(['SSO-47', 'AUT-33', 'SSO-K07'], 'while off a posted request is none', async () => {
      await configure({});
      const answered = await newBrowser(idp).post('/authorize', request);
      expect([answered.status, JSON.parse(answered.body).error]).to.deep.equal([400, 'invalid_request']);
    });
  });

  describe('with a request object that is not read', () => {
    verifies(
      ['SSO-48', 'SSO-M05'],
      'the refusal goes by the mode that the object names, and nothing else is read from it',
      async () => {
        const browser = newBrowser(idp);
        const ask = (object: string, changes = {}) =>
          browser.get(authorizePath({ request: object, state: 'q', ...changes }));
        const posted = await ask(
          unsigned({ response_mode: 'form_post', state: 'o', redirect_uri: 'https://evil.example/' }),
        );
        expect([fieldOf(posted, 'error'), fieldOf(posted, 'state')]).to.deep.equal(['request_not_supported', 'q']);
        expect(posted.forms[0]?.action).to.equal(callback);
        const signed = await ask(await key.sign({ response_mode: 'form_post' }));
        expect(fieldOf(signed, 'error')).to.equal('request_not_supported');
        for (const [object, changes] of [
          [unsigned({ response_mode: 'fragment' }), {}],
          [unsigned({ response_mode: 'form_post' }), { response_mode: 'query' }],
          ['no.jwt.', {}],
          ['x', {}],
        ] as const) {
          expect(redirectParameters(await ask(object, changes)).get('error'), object).to.equal('request_not_supported');
        }
        expect(await discovery()).to.include({ request_parameter_supported: false });
      },
    );
  });

  describe('with request objects', () => {
    const fetching = () => ({
      request_objects: 'on',
      client_fetch: { allowed_hosts: [`localhost:${host.port}`], allow_loopback: true, verify_tls: false },
    });
    before(() => configure(fetching()));
    after(() => configure({}));
    beforeEach(() => {
      host.requests.length = 0;
    });
    const path = (changes: Record<string, string>) => authorizePath({ client_id: 'signing', state: 'q', ...changes });
    const logIn = async (changes: Record<string, string>) => {
      const browser = newBrowser(idp);
      return browser.submit(await browser.get(path(changes)), alice);
    };
    const errorOf = async (changes: Record<string, string>) =>
      redirectParameters(await newBrowser(idp).get(path(changes))).get('error');

    verifies(
      ['SSO-52', 'SSO-K10', 'SSO-M16'],
      'the members of an object, unsigned or signed, win over the query, and the query adds what is missing',
      async () => {
        const claims = { state: 'o', nonce: 'n', scope: 'openid', iss: 'signing', aud: idp.baseUrl };
        for (const object of [unsigned(claims), await key.sign(claims), await key.sign({ state: 'o' })]) {
          expect(redirectParameters(await logIn({ request: object })).get('state')).to.equal('o');
        }
        const { redirect_uri, ...bare } = { redirect_uri: callback, response_type: 'code', client_id: 'signing' };
        const browser = newBrowser(idp);
        const onlyInside = new URLSearchParams({ ...bare, request: unsigned({ redirect_uri, state: 'i' }) });
        const done = await browser.submit(await browser.get(`/authorize?${onlyInside}`), alice);
        expect(redirectParameters(done).get('state')).to.equal('i');
        // RFC 9101 §5: beside the client_id all of it may be inside.
        const everything = unsigned({ redirect_uri, response_type: 'code', client_id: 'signing', state: 'i' });
        const short = await browser.get(
          `/authorize?${new URLSearchParams({ client_id: 'signing', request: everything })}`,
        );
        expect(redirectParameters(short).get('state')).to.equal('i');
        const found = await discovery();
        expect(found).to.include({ request_parameter_supported: true, request_uri_parameter_supported: true });
        expect(found.request_object_signing_alg_values_supported).to.deep.equal(['none', 'RS256']);
      },
    );

    verifies(
      ['SSO-52', 'AUT-30'],
      'a login without a page is asked for by the object, too, and not against it',
      async () => {
        const persona = { login: { session: 'on', mode: 'persona', auto_login: true }, oauth: fetching() };
        await idp.configure({ users, settings: persona, clients: clients() });
        const automatic = (username: string) => `persona-auto-login:${username}`;
        const browser = newBrowser(idp);
        codeOf(await browser.get(path({ request: unsigned({ login_hint: automatic('bob'), prompt: 'none' }) })));
        const other = { login_hint: automatic('alice'), request: unsigned({ login_hint: automatic('bob') }) };
        codeOf(await newBrowser(idp).get(path(other)));
        const events = (await idp.audit()).filter(({ details }) => details.auto_login === true);
        expect(events.map(({ username }) => username)).to.deep.equal(['bob', 'bob']);
        const asked = { login_hint: automatic('alice'), request: unsigned({ login_hint: 'alice' }) };
        expect((await newBrowser(idp).get(path(asked))).status).to.equal(200);
        await configure(fetching());
      },
    );

    verifies(
      ['SSO-52', 'SSO-K11', 'SSO-M16'],
      'an object is fetched from a registered address at an allowed host',
      async () => {
        for (const object of [unsigned({ state: 'far' }), await key.sign({ state: 'far' })]) {
          host.answer = (_request, response) =>
            response
              .writeHead(200, { 'Content-Type': 'application/oauth-authz-req+jwt', 'Cache-Control': 'no-store' })
              .end(object);
          expect(redirectParameters(await logIn({ request_uri: `${objects}/request` })).get('state')).to.equal('far');
        }
        await logIn({ request_uri: `${objects}/request#digest` });
        expect(host.requests.map(({ url }) => url))
          .to.include('/request')
          .and.to.not.include('/request#digest');
        const calls = host.requests.length;
        for (const address of [`${objects}/other`, 'https://elsewhere.example/request']) {
          expect(await errorOf({ request_uri: address })).to.equal('invalid_request_uri');
        }
        expect(host.requests).to.have.length(calls);
        host.answer = (_request, response) => response.writeHead(404).end();
        expect(await errorOf({ request_uri: `${objects}/request` })).to.equal('invalid_request_uri');
      },
    );

    verifies('SSO-52', 'an object that cannot be used is refused at the redirect URI of the query', async () => {
      const stranger = await clientKey('one');
      const past = Math.floor(Date.now() / 1000) - 60;
      for (const [what, object] of Object.entries({
        'no JWT': 'x',
        'a JWT of nothing': 'a.b.',
        'of another key': await stranger.sign({ state: 'o' }),
        'of an unknown key': await key.sign({ state: 'o' }, { kid: 'two' }),
        'of another algorithm': await (await clientKey('one', 'ES256')).sign({}),
        'of another client': unsigned({ client_id: 'web' }),
        'of another response type': unsigned({ response_type: 'id_token' }),
        'from another issuer': unsigned({ iss: 'web' }),
        'for another audience': unsigned({ aud: 'https://other.example' }),
        expired: unsigned({ exp: past }),
        'holding another object': unsigned({ request: unsigned({ state: 'inner' }) }),
        'holding the address of one': unsigned({ request_uri: `${objects}/request` }),
      })) {
        expect(await errorOf({ request: object }), what).to.equal('invalid_request_object');
      }
      expect(await errorOf({ request: unsigned({}), request_uri: `${objects}/request` })).to.equal('invalid_request');
      // Whoever has not registered a key yet hears that, and not of a key set that nobody has sent.
      const told = async (changes: Record<string, string>) =>
        redirectParameters(await newBrowser(idp).get(path(changes))).get('error_description');
      expect(await told({ request: await key.sign({}), client_id: 'web' })).to.contain(
        'the client has neither jwks nor jwks_uri',
      );
      expect(await told({ request: 'x', client_id: 'web' })).to.contain('it is neither a signed nor an unsecured JWT');
      // Of what is wrong nothing is followed: neither an address that is not registered, nor one inside the object.
      const page = await newBrowser(idp).get(path({ request: 'x', redirect_uri: 'https://evil.example/' }));
      expect([page.status, page.location]).to.deep.equal([400, null]);
    });

    verifies(
      ['SSO-M08', 'SSO-M16'],
      'an address that is not registered leads to a page for a browser, in the query and in an object',
      async () => {
        const headers = { Accept: 'text/html,application/xhtml+xml', 'Upgrade-Insecure-Requests': '1' };
        const evil = { redirect_uri: 'https://evil.example/' };
        for (const asked of [evil, { request: unsigned(evil) }]) {
          const shown = await newBrowser(idp).get(path(asked), headers);
          expect([shown.status, shown.location]).to.deep.equal([400, null]);
          expect(shown.headers.get('content-type')).to.contain('text/html');
        }
        expect((await newBrowser(idp).get(path(evil))).headers.get('content-type')).to.contain('application/json');
      },
    );
  });

  describe('of the implicit flow', () => {
    const types = ['code', 'id_token', 'id_token token'];
    before(() => configure({ response_types: types }));
    after(() => configure({}));
    const logIn = async (changes: Record<string, string>) => {
      const browser = newBrowser(idp);
      const path = authorizePath({ scope: 'openid profile email', nonce: 'n', state: 's', ...changes });
      return browser.submit(await browser.get(path), alice);
    };

    verifies(
      ['SSO-53', 'SSO-K09', 'SSO-M14'],
      'an ID token in the fragment has the claims of the scope, and an access token beside it is bound to it',
      async () => {
        const alone = fragmentOf(await logIn({ response_type: 'id_token' }));
        expect(alone.get('state')).to.equal('s');
        expect(['code', 'access_token', 'token_type', 'expires_in'].some((name) => alone.has(name))).to.equal(false);
        const id = claimsOf(alone.get('id_token') ?? '');
        expect(id).to.include({
          sub: 'alice',
          aud: 'web',
          nonce: 'n',
          name: 'Alice Liddell',
          email: 'alice@example.org',
        });
        expect(id).to.have.property('sid');
        expect(id).to.not.have.property('at_hash');
        for (const type of ['id_token token', 'token id_token']) {
          const both = fragmentOf(await logIn({ response_type: type }));
          const token = both.get('access_token') ?? '';
          const half = createHash('sha256').update(token).digest().subarray(0, 16).toString('base64url');
          const beside = claimsOf(both.get('id_token') ?? '');
          expect(beside).to.include({ at_hash: half, nonce: 'n' });
          // OpenID Connect Core §5.4: beside an access token they come from UserInfo.
          expect(beside).to.not.have.any.keys('name', 'email');
          expect([both.get('token_type'), both.get('expires_in'), both.get('state')]).to.deep.equal([
            'Bearer',
            '3600',
            's',
          ]);
          expect(both.has('code') || both.has('refresh_token')).to.equal(false);
          const read = (await userinfo(idp, token)).body;
          expect(read).to.include({ sub: 'alice', name: 'Alice Liddell', email: 'alice@example.org' });
        }
        const form = await logIn({ response_type: 'id_token', response_mode: 'form_post' });
        expect(claimsOf(fieldOf(form, 'id_token') ?? '')).to.include({ sub: 'alice' });
        const found = await discovery();
        expect(found.response_types_supported).to.deep.equal(['code', 'id_token', 'id_token token', 'token id_token']);
        expect(found.grant_types_supported).to.include('implicit');
        expect(found.response_modes_supported).to.deep.equal(['query', 'form_post', 'fragment']);
      },
    );

    verifies('SSO-53', 'a session answers without a page, and the client takes part in it', async () => {
      const browser = newBrowser(idp);
      codeOf(await browser.submit(await browser.get(authorizePath({ scope: 'openid' })), alice));
      const silent = { response_type: 'id_token', prompt: 'none', nonce: 'n', client_id: 'spa', scope: 'openid' };
      const id = claimsOf(fragmentOf(await browser.get(authorizePath(silent))).get('id_token') ?? '');
      const { sessions } = (await idp.api('GET', '/api/sessions')).body;
      const own = sessions.find(({ sid }: { sid: string }) => sid === id.sid);
      expect(own?.clients).to.include('spa');
    });

    verifies('SSO-53', 'nonce and openid are needed, and nothing of a refusal or an answer is in a query', async () => {
      const browser = newBrowser(idp);
      const ask = { response_type: 'id_token', scope: 'openid', nonce: 'n' };
      const errorOf = async (changes: Record<string, string>) =>
        fragmentOf(await browser.get(authorizePath({ ...ask, ...changes }))).get('error');
      expect(await errorOf({ nonce: '' })).to.equal('invalid_request');
      expect(await errorOf({ scope: 'email' })).to.equal('invalid_scope');
      expect(await errorOf({ response_mode: 'query' })).to.equal('invalid_request');
      expect(await errorOf({ prompt: 'none' })).to.equal('login_required');
    });

    verifies(
      ['SSO-53', 'SSO-K09'],
      'while they are not offered they are refused, and oauth21 has none of them',
      async () => {
        await configure({});
        const refused = await newBrowser(idp).get(authorizePath({ response_type: 'id_token', nonce: 'n' }));
        expect(redirectParameters(refused).get('error')).to.equal('unsupported_response_type');
        expect((await discovery()).response_types_supported).to.deep.equal(['code']);
        const oauth21 = { settings: { security_profile: 'oauth21', oauth: { response_types: types } }, users };
        const failed = await idp.configure(oauth21).catch((error: Error) => error);
        expect(String(failed)).to.contain('oauth.response_types').and.to.contain('oauth21');
        const without = { settings: { oauth: { response_types: ['id_token'] } }, users };
        expect(String(await idp.configure(without).catch((error: Error) => error))).to.contain('must contain code');
        await configure({});
      },
    );

    verifies('SSO-53', 'the audit tells of the login as of any other', async () => {
      await configure({ response_types: types });
      await logIn({ response_type: 'id_token' });
      expect(await lastEvent(idp, 'authorization_request')).to.include({ status: 'success', username: 'alice' });
      expect((await redeem(idp, 'x')).status).to.equal(400);
    });
  });
});
