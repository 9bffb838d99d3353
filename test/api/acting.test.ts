// What a test does with an instance: tokens, users, clients, logins, clock, faults, reset and stop (API-18 to API-30).

import { expect } from 'chai';
import { decodeJwt } from 'jose';
import { totpAt } from '#test/support/authorization-flow.ts';
import { basic, claimsOf } from '#test/support/http.ts';
import { authnRequest, redirectQuery } from '#test/support/saml/service-provider.ts';
import { sentences } from '#test/support/sentences.ts';
import { IdpError, IdpLoginError, IdpRequestError, pemKeys, rejection, startIdp } from '#test/support/start-api.ts';
import { verifies } from '#test/support/verifies.ts';

type Idp = Awaited<ReturnType<typeof startIdp>>;
type SamlCallback = import('#api/index.ts').SamlCallback;

const secondFactor = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
const users = {
  alice: { password: 'wonderland', email: 'alice@acme.example', roles: ['ADMIN'] },
  carol: { password: 'looking-glass', totp_secret: secondFactor },
};
const clients = {
  web: { client_secret: 's', redirect_uris: ['http://127.0.0.1/cb'] },
  post: { client_secret: 'p', token_endpoint_auth_method: 'client_secret_post' as const },
  spa: { token_endpoint_auth_method: 'none' as const },
};

function authorizeUrl({ url }: Pick<Idp, 'url'>, changes: Record<string, string> = {}): string {
  const parameters = {
    ...{
      response_type: 'code',
      client_id: 'web',
      redirect_uri: 'http://127.0.0.1:49152/cb',
      scope: 'openid',
      state: 'st',
    },
    ...{ code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', code_challenge_method: 'S256', ...changes },
  };
  return `${url}/authorize?${new URLSearchParams(parameters)}`;
}

describe('an instance', function () {
  this.timeout(60_000);
  let idp: Idp;
  before(async () => {
    idp = await startIdp({ keys: await pemKeys(), users, clients });
  });
  after(() => idp.stop());
  afterEach(() => idp.reset());

  describe('token', () => {
    verifies(
      'API-18',
      'returns the token of a user as REST does, and that of a client as client credentials do',
      async () => {
        const options = { scope: ['openid', 'profile'], resource: 'https://api.example', claims: { plan: 'gold' } };
        const answer = await idp.token({ user: 'alice', client: 'web', ...options });
        expect(answer).to.include({ token_type: 'Bearer', scope: 'openid profile' });
        expect(claimsOf(answer.access_token)).to.deep.include({
          ...{ sub: 'alice', client_id: 'web', aud: 'https://api.example', plan: 'gold' },
        });
        expect(claimsOf(answer.id_token ?? '').sub).to.equal('alice');
        const own = await idp.token({ client: 'post', scope: 'profile', claims: { plan: 'tin' }, expiresIn: '10m' });
        expect(own)
          .to.include({ expires_in: 600, scope: 'profile' })
          .and.not.have.any.keys('id_token', 'refresh_token');
        expect(claimsOf(own.access_token)).to.include({ sub: 'post', client_id: 'post', plan: 'tin' });
        const usual = await idp.token();
        expect(claimsOf(usual.access_token).sub).to.equal('web');
        const named = await idp.token({ client: { client_id: 'web', client_secret: 's' } });
        expect(claimsOf(named.access_token).sub).to.equal('web');
      },
    );

    verifies('API-18', 'rejects an unknown option, which would leave the token unchanged', async () => {
      for (const strange of [{ user: 'alice', audiance: 'https://other.example' }, { expiresin: '-5m' }]) {
        const refused = await rejection(idp.token(strange));
        expect(refused.kind).to.equal('invalid_option');
        expect(refused.message).to.contain(`Unknown option "${Object.keys(strange).at(-1)}" for token().`);
      }
    });

    verifies('TTK-05', 'sets and removes claims of the tokens of users and clients', async () => {
      const changes = { audience: 'orders-api', setClaims: { azp: 'app' }, removeClaims: ['nbf'] };
      const whole = { scope: 'openid', idToken: { setClaims: { tier: 1 }, removeClaims: ['nbf'] } };
      const ofUser = await idp.token({ user: 'alice', ...changes, ...whole });
      expect(claimsOf(ofUser.access_token)).to.include({ sub: 'alice', aud: 'orders-api', azp: 'app' });
      expect(claimsOf(ofUser.id_token ?? ''))
        .to.include({ tier: 1 })
        .and.not.have.property('nbf');
      const ofClient = claimsOf((await idp.token({ client: 'post', ...changes })).access_token);
      expect(ofClient).to.include({ sub: 'post', aud: 'orders-api', azp: 'app' }).and.not.have.property('nbf');
      const wrong = await rejection(idp.token({ client: 'post', idToken: {} }));
      expect([wrong.kind, wrong.message]).to.deep.equal([
        'invalid_option',
        'idToken of token() needs user. A token of a client has no ID token.',
      ]);
    });

    verifies('API-18', 'accepts any lifetime in whole seconds', async () => {
      for (const [expiresIn, seconds] of [
        [90, 90],
        ['90s', 90],
        ['10m', 600],
        ['1h', 3600],
        ['-5m', -300],
      ] as const) {
        expect((await idp.token({ user: 'alice', expiresIn })).expires_in, `of a user: ${expiresIn}`).to.equal(seconds);
        expect((await idp.token({ expiresIn })).expires_in, `of a client: ${expiresIn}`).to.equal(seconds);
      }
      for (const expiresIn of [0, 0.5, 'soon', '2d'] as const) {
        const refused = await rejection(idp.token({ user: 'alice', expiresIn }));
        expect(refused.kind, String(expiresIn)).to.match(/^(?:invalid_option|http_400)$/);
      }
    });

    verifies(
      'API-19',
      'returns a token that is already expired, otherwise valid, and does not change the clock',
      async () => {
        for (const options of [{ user: 'alice' }, { client: 'web' }]) {
          const { access_token } = await idp.token({ ...options, expiresIn: '-5m' });
          const { exp = 0, iat = 0 } = decodeJwt(access_token);
          const now = Math.floor(Date.now() / 1000);
          expect(exp).to.be.within(now - 310, now - 295);
          expect(iat).to.be.below(exp);
          const introspect = async () => {
            const body = new URLSearchParams({ token: access_token, client_id: 'post', client_secret: 'p' });
            return (await (await idp.fetch('/introspect', { method: 'POST', body })).json()) as { active: boolean };
          };
          expect(await introspect()).to.deep.equal({ active: false });
          expect((await idp.clock.read()).offset_seconds).to.equal(0);
          // Only its expiry makes it invalid.
          await idp.clock.advance('-6m');
          expect((await introspect()).active).to.equal(true);
          await idp.clock.reset();
        }
      },
    );

    verifies('API-19', 'dates the login of an expired ID token before its expiry', async () => {
      const loginOf = async (expiresIn?: string) => {
        const { id_token } = await idp.token({ user: 'alice', scope: 'openid', ...(expiresIn && { expiresIn }) });
        const { iat = 0, auth_time } = decodeJwt(String(id_token));
        return Number(auth_time) - iat;
      };
      expect([await loginOf('-5m'), await loginOf('-1d'), await loginOf()]).to.deep.equal([0, 0, 0]);
    });
  });

  describe('users and clients', () => {
    verifies('API-20', 'are added with their secrets, and an existing name is rejected', async () => {
      expect(await idp.addUser({ username: 'bob', password: 'b' })).to.include({ username: 'bob', password: 'b' });
      const drawn = await idp.addClient({ client_id: 'extra' });
      expect(drawn.client_secret).to.match(/^[\w-]{43}$/);
      expect(claimsOf((await idp.token({ client: 'extra' })).access_token).sub).to.equal('extra');
      expect(await idp.addClient({ client_id: 'public', token_endpoint_auth_method: 'none' })).not.to.have.property(
        'client_secret',
      );
      expect((await rejection(idp.addUser({ username: 'bob' }))).kind).to.equal('exists');
      expect((await rejection(idp.addClient({ client_id: 'extra' }))).kind).to.equal('exists');
      expect((await rejection(idp.addUser({ username: 'alice' }))).kind).to.equal('exists');
      expect((await rejection(idp.addUser({ username: 'eve', email: 7 } as never))).kind).to.equal('invalid');
    });

    verifies('API-20', 'are replaced in one step, so that they exist at every moment', async () => {
      await idp.addUser({ username: 'bob', password: 'b0' });
      let running = true;
      const seen = (async () => {
        const statuses = new Set<number>();
        while (running) statuses.add((await idp.fetch('/api/users/bob')).status);
        return statuses;
      })();
      for (let turn = 1; turn <= 15; turn += 1) {
        await idp.addUser({ username: 'bob', password: `b${turn}` }, { replace: true });
      }
      running = false;
      expect([...(await seen)]).to.deep.equal([200]);
      expect((await idp.login({ url: authorizeUrl(idp), user: 'bob' })).params).to.have.property('code');
      await idp.addClient({ client_id: 'extra', client_secret: 'one' });
      await idp.addClient({ client_id: 'extra', client_secret: 'two' }, { replace: true });
      const old = { client_id: 'extra', client_secret: 'one' };
      expect((await rejection(idp.token({ client: old }))).kind).to.equal('invalid_client');
      expect((await rejection(idp.addUser({ username: 'alice' }, { replace: true }))).kind).to.equal('exists');
    });
  });

  describe('login', () => {
    verifies('API-21', 'follows an authorization URL and returns the callback without calling it', async () => {
      const { callbackUrl, params, form } = await idp.login({ url: authorizeUrl(idp), user: 'alice' });
      expect(callbackUrl).to.match(/^http:\/\/127\.0\.0\.1:49152\/cb\?code=/);
      expect([params.state, form]).to.deep.equal(['st', undefined]);
      const body = new URLSearchParams({
        ...{ grant_type: 'authorization_code', code: params.code ?? '', redirect_uri: 'http://127.0.0.1:49152/cb' },
        ...{ code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk', client_id: 'web' },
      });
      const headers = { Authorization: basic('web', 's') };
      const tokens = (await (await idp.fetch('/token', { method: 'POST', headers, body })).json()) as {
        id_token: string;
      };
      expect(claimsOf(tokens.id_token).sub).to.equal('alice');

      const posted = await idp.login({ url: authorizeUrl(idp, { response_mode: 'form_post' }), user: 'alice' });
      expect(posted.callbackUrl).to.equal('http://127.0.0.1:49152/cb');
      expect(posted.form).to.include({ state: 'st' }).and.have.property('code');
      expect(posted.params).to.deep.equal(posted.form);
    });

    verifies('API-22', 'follows a SAML request and returns what would be posted', async () => {
      const xml = authnRequest();
      const url = `${idp.samlSsoUrl}?${redirectQuery(xml, 'where I was')}`;
      const answer = await idp.login<SamlCallback>({ url, user: 'alice' });
      expect([answer.acsUrl, answer.relayState]).to.deep.equal(['https://sp.example/acs', 'where I was']);
      expect(Buffer.from(answer.samlResponse, 'base64').toString()).to.include('alice').and.include('Success');
    });

    verifies('API-22', 'decides a device grant', async () => {
      const begin = async () => {
        const body = new URLSearchParams({ client_id: 'spa' });
        return (await (await idp.fetch('/device_authorization', { method: 'POST', body })).json()) as Record<
          string,
          string
        >;
      };
      const poll = async (device_code: string | undefined) => {
        const grant_type = 'urn:ietf:params:oauth:grant-type:device_code';
        const body = new URLSearchParams({ grant_type, client_id: 'spa', device_code: device_code ?? '' });
        return (await (await idp.fetch('/token', { method: 'POST', body })).json()) as Record<string, string>;
      };
      const approved = await begin();
      await idp.approveDevice({ userCode: approved.user_code ?? '', user: 'alice' });
      expect(claimsOf((await poll(approved.device_code)).access_token ?? '').sub).to.equal('alice');
      const denied = await begin();
      await idp.approveDevice({ userCode: denied.user_code ?? '', user: 'alice', decision: 'deny' });
      expect((await poll(denied.device_code)).error).to.equal('access_denied');
      // Any other value approves nothing.
      const open = await begin();
      const odd = { userCode: open.user_code ?? '', user: 'alice', decision: 'reject' };
      expect((await rejection(idp.approveDevice(odd as never))).kind).to.equal('invalid_option');
      expect((await poll(open.device_code)).error).to.equal('authorization_pending');
      const again = await rejection(idp.approveDevice({ userCode: approved.user_code ?? '', user: 'alice' }));
      expect(again).to.be.instanceOf(IdpLoginError).with.property('message').that.includes('already used');
      const wrong = await rejection(idp.approveDevice({ userCode: 'BBBB-BBBB', user: 'alice' }));
      expect(wrong.message).to.include('invalid or expired');
    });

    verifies('API-23', 'fails the same checks as the pages, with their sentences', async () => {
      const url = authorizeUrl(idp);
      const wrong = await rejection(idp.login({ url, user: 'alice', password: 'no' }));
      expect(wrong).to.be.instanceOf(IdpLoginError);
      expect(wrong.message).to.equal(sentences.loginWrong);
      const nobody = await rejection(idp.login({ url, user: 'nobody', password: 'x' }));
      expect(nobody.message).to.equal(sentences.loginWrong);
      const unregistered = authorizeUrl(idp, { redirect_uri: 'https://evil.example/cb' });
      const refused = await rejection(idp.login({ url: unregistered, user: 'alice' }));
      expect(refused).to.be.instanceOf(IdpLoginError).with.property('status', 400);
      expect(refused.message).to.include(sentences.redirectUriNotRegistered);
      const { params } = await idp.login({ url: authorizeUrl(idp, { response_type: 'token' }), user: 'alice' });
      expect(params).to.include({ error: 'unsupported_response_type', state: 'st' });
      const elsewhere = await rejection(idp.login({ url: 'https://other.example/authorize', user: 'alice' }));
      expect(elsewhere.kind).to.equal('invalid_option');
    });

    verifies('API-23', 'requires the second factor if the pages do', async () => {
      await using strict = await startIdp({
        keys: await pemKeys(),
        users,
        clients,
        settings: { login: { totp: true } },
      });
      const url = authorizeUrl(strict);
      expect((await rejection(strict.login({ url, user: 'carol' }))).kind).to.equal('second_factor_needed');
      expect((await rejection(strict.login({ url, user: 'carol', totp: '000' }))).message).to.include(
        'The code is wrong',
      );
      const { now } = await strict.clock.freeze('2030-01-01T00:00:00Z');
      const answer = await strict.login({ url, user: 'carol', totp: totpAt(Date.parse(now)) });
      expect(answer.params).to.have.property('code');
    });

    verifies(
      'API-24',
      'knows the passwords of the start and of added users, and needs none in persona mode',
      async () => {
        await idp.addUser({ username: 'bob', password: 'b' });
        expect((await idp.login({ url: authorizeUrl(idp), user: 'bob' })).params).to.have.property('code');
        const unknown = await rejection(idp.login({ url: authorizeUrl(idp), user: 'mallory' }));
        expect(unknown.kind).to.equal('password_unknown');
        const settings = { login: { mode: 'persona' as const } };
        await using personas = await startIdp({ keys: await pemKeys(), clients, users: { dave: {} }, settings });
        expect((await personas.login({ url: authorizeUrl(personas), user: 'dave' })).params).to.have.property('code');
        const stranger = await rejection(personas.login({ url: authorizeUrl(personas), user: 'mallory' }));
        expect(stranger.message).to.include(sentences.userUnknown);
        const twoStep = { login: { two_step: true } };
        await using steps = await startIdp({ keys: await pemKeys(), clients, users, settings: twoStep });
        expect((await steps.login({ url: authorizeUrl(steps), user: 'alice' })).params).to.have.property('code');
      },
    );

    verifies('API-24', 'uses a new browser each time, or the one that is passed', async () => {
      const url = `${idp.samlSsoUrl}?${redirectQuery(authnRequest())}`;
      const browser = idp.browser();
      await idp.login<SamlCallback>({ url, user: 'alice', browser });
      // The browser has a session, so no password is needed.
      await idp.login<SamlCallback>({ url, user: 'alice', password: 'wrong', browser });
      expect((await rejection(idp.login<SamlCallback>({ url, user: 'alice', password: 'wrong' }))).kind).to.equal(
        'login_refused',
      );
      expect(browser.cookies.size).to.be.above(0);
    });
  });

  verifies('API-25', 'moves its clock, sets faults and shows its audit', async () => {
    const before = Date.parse((await idp.clock.read()).now);
    const { now, offset_seconds } = await idp.clock.advance('1h');
    expect([offset_seconds, Date.parse(now) - before >= 3_600_000]).to.deep.equal([3600, true]);
    expect(await idp.clock.freeze(new Date('2031-02-03T04:05:06Z'))).to.include({ frozen: true });
    expect(claimsOf((await idp.token()).access_token).iat).to.equal(Date.parse('2031-02-03T04:05:06Z') / 1000);
    expect(await idp.clock.reset()).to.include({ offset_seconds: 0, frozen: false });
    const fault = await idp.faults.add({ fault: 'token_expired', parameters: { token: 'access_token' } });
    expect((await idp.faults.list()).map(({ id }) => id)).to.deep.equal([fault.id]);
    expect(decodeJwt((await idp.token()).access_token).exp).to.be.below(Date.now() / 1000);
    await idp.faults.add('token_expired');
    expect(await idp.faults.clear()).to.be.above(0);
    // @ts-expect-error: there is no such fault
    expect(await rejection(idp.faults.add('nonce_wrongg'))).to.include({ kind: 'unknown_fault' });
    // @ts-expect-error: the condition stands under `when`
    expect(await rejection(idp.faults.add({ fault: 'nonce_wrong', client_id: 'web' }))).to.include({ kind: 'invalid' });
    const [row] = (await idp.api.showFaultCatalogue()).faults;
    expect((await idp.faults.add(row?.name ?? 'delay')).fault).to.equal(row?.name);
    expect(await idp.faults.clear()).to.equal(1);
    const types = (await idp.audit({ event_type: 'token_request' })).map(({ client_id }) => client_id);
    expect(types.length).to.be.at.least(2);
  });

  verifies('API-25', 'reports what was recorded, waits for it, and judges a client', async () => {
    await idp.reset();
    const nothing = await idp.expect({ endpoint: 'token', count: 0, within_seconds: 0 });
    expect([nothing.held, await idp.flows()]).to.deep.equal([true, []]);
    expect((await idp.verdict({ client_id: 'web' })).status).to.equal('nothing_seen');
    const waiting = idp.expect({ endpoint: 'token', at_least: 1, client_id: 'web', after: nothing.cursor });
    const { params } = await idp.login({ url: authorizeUrl(idp), user: 'alice' });
    const headers = { Authorization: basic('web', 's') };
    const body = new URLSearchParams({
      ...{ grant_type: 'authorization_code', code: params.code ?? '', redirect_uri: 'http://127.0.0.1:49152/cb' },
      code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
    });
    expect((await idp.fetch('/token', { method: 'POST', headers, body })).status).to.equal(200);
    const { count, cursor } = await waiting;
    expect(count).to.equal(1);
    expect(await idp.flows({ kind: 'code' }))
      .to.have.length(1)
      .with.nested.property('[0].client_id', 'web');
    const twice = await rejection(idp.expect({ endpoint: 'token', count: 2, within_seconds: 0 }));
    expect(twice).to.be.instanceOf(IdpRequestError).with.property('kind', 'not_held');
    expect(twice.message).to.equal('Expected exactly 2, but received 1.');
    const judged = await idp.verdict({ client_id: 'web' });
    expect(judged.exchanges).to.be.at.least(2);
    expect([...judged.findings.map(({ id }) => id), ...judged.clean]).to.include('pkce_missing');
    expect((await idp.verdict({ client_id: 'web', after: cursor })).status).to.equal('nothing_seen');
    await idp.reset();
    expect(await idp.flows()).to.deep.equal([]);
  });

  verifies(['VER-K28', 'API-26'], 'does not blame a client for requests that were deleted by a reset', async () => {
    const judged = async (of: Idp) => {
      await of.token({ client: 'web' });
      return (await of.verdict({ client_id: 'web' })).findings.map(({ id }) => id);
    };
    const fresh = await startIdp({ keys: await pemKeys(), users, clients });
    try {
      expect(await judged(fresh)).to.deep.equal(['discovery_not_used']);
      await fresh.reset();
      expect(await judged(fresh)).to.deep.equal([]);
    } finally {
      await fresh.stop();
    }
  });

  verifies('API-26', 'resets to the state after the start, with the same address and keys', async () => {
    await idp.addUser({ username: 'bob', password: 'b' });
    await idp.addClient({ client_id: 'extra' });
    await idp.clock.advance('1d');
    await idp.faults.add('token_expired');
    const url = authorizeUrl(idp);
    const { params } = await idp.login({ url, user: 'alice' });
    const samlUrl = `${idp.samlSsoUrl}?${redirectQuery(authnRequest())}`;
    const browser = idp.browser();
    await idp.login<SamlCallback>({ url: samlUrl, user: 'alice', browser });
    const jwks = await (await idp.fetch('/.well-known/jwks.json')).text();
    await idp.reset();
    expect(await idp.audit()).to.deep.equal([]);
    expect(await idp.faults.list()).to.deep.equal([]);
    expect(await idp.clock.read()).to.include({ offset_seconds: 0 });
    for (const path of ['/api/runtime/users/bob', '/api/runtime/clients/extra']) {
      expect((await idp.fetch(path)).status, path).to.equal(404);
    }
    const body = new URLSearchParams({
      ...{ grant_type: 'authorization_code', code: params.code ?? '', redirect_uri: 'http://127.0.0.1:49152/cb' },
      ...{ code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk' },
    });
    const redeemed = await idp.fetch('/token', {
      method: 'POST',
      headers: { Authorization: basic('web', 's') },
      body,
    });
    expect(await redeemed.json()).to.include({ error: 'invalid_grant' });
    const session = idp.login<SamlCallback>({ url: samlUrl, user: 'alice', password: 'wrong', browser });
    expect((await rejection(session)).kind).to.equal('login_refused');
    expect((await rejection(idp.token({ client: 'extra' }))).kind).to.equal('client_unknown');
    expect(await (await idp.fetch('/.well-known/jwks.json')).text()).to.equal(jwks);
    expect((await idp.login({ url, user: 'alice' })).params).to.have.property('code');
  });

  verifies('API-26', 'rejects tokens from before a reset, and keeps earlier revocations', async () => {
    const credentials = { client_id: 'post', client_secret: 'p' };
    const isActive = async (token: string) => {
      const answer = await idp.fetch('/introspect', { body: new URLSearchParams({ token, ...credentials }) });
      return ((await answer.json()) as { active: boolean }).active;
    };
    const statusAtUserinfo = async (token: string) =>
      (await idp.fetch('/userinfo', { headers: { Authorization: `Bearer ${token}` } })).status;
    const options = { user: 'alice', scope: 'openid' };
    const [kept, revoked] = [await idp.token(options), await idp.token(options)];
    await idp.fetch('/revoke', { body: new URLSearchParams({ token: revoked.access_token, ...credentials }) });
    expect([await isActive(kept.access_token), await statusAtUserinfo(kept.access_token)]).to.deep.equal([true, 200]);
    for (let life = 1; life <= 2; life += 1) {
      await idp.reset();
      expect([await isActive(kept.access_token), await isActive(revoked.access_token)]).to.deep.equal([false, false]);
      expect(await statusAtUserinfo(kept.access_token)).to.equal(401);
      const { access_token } = await idp.token(options);
      expect([await isActive(access_token), await statusAtUserinfo(access_token)]).to.deep.equal([true, 200]);
    }
  });

  verifies('API-27', 'has a method for each operation of the document, with its types', async () => {
    const document = (await (await idp.fetch('/openapi.json')).json()) as {
      paths: Record<string, Record<string, { operationId: string }>>;
    };
    const declared = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    );
    expect(Object.keys(idp.api)).to.have.members(declared);
    const { username } = await idp.api.createRuntimeUser({ body: { username: 'bob', email: 'bob@acme.example' } });
    expect(username).to.equal('bob');
    expect((await idp.api.showRuntimeUser({ name: 'bob' })).email).to.equal('bob@acme.example');
    expect((await idp.api.listUsers()).users.map((user) => user.username)).to.have.members(['alice', 'carol', 'bob']);
    const { entries } = await idp.api.readAudit({ limit: 1 });
    expect(entries).to.have.length(1);
    // @ts-expect-error: there is no such member
    const refused = rejection(idp.api.createClientToken({ client_id: 'nobody', body: { exp_hours: 1 } }));
    expect(await refused).to.include({ status: 404 });
    // @ts-expect-error: the name is missing
    idp.api.showUser().catch(() => {});
  });

  verifies('API-27', 'handles fetch within itself, and returns redirects that lead elsewhere', async () => {
    const answer = await idp.fetch('/api/runtime/users', { body: { username: 'bob', password: 'b' } });
    expect([answer.status, ((await answer.json()) as { username: string }).username]).to.deep.equal([201, 'bob']);
    const elsewhere = await idp.fetch(authorizeUrl(idp, { prompt: 'none' }).slice(idp.url.length));
    expect([elsewhere.status, elsewhere.headers.get('location')?.split('?')[0]]).to.deep.equal([
      302,
      'http://127.0.0.1:49152/cb',
    ]);
    expect((await rejection(idp.fetch('https://other.example/'))).kind).to.equal('invalid_option');
  });

  verifies('API-28', 'rejects with the server’s response, and shows no secret', async () => {
    const client = { client_id: 'web', client_secret: 'not the secret' };
    const refused = await rejection(idp.token({ client }));
    if (!(refused instanceof IdpRequestError)) throw refused;
    expect(refused).to.include({
      name: 'IdpRequestError',
      status: 401,
      kind: 'invalid_client',
      error: 'invalid_client',
    });
    expect(refused.body).to.include({ error: 'invalid_client' });
    const missing = await rejection(idp.token({ user: 'nobody' }));
    expect([missing.kind, missing instanceof IdpError]).to.deep.equal(['http_404', true]);
    for (const { message } of [
      refused,
      missing,
      await rejection(idp.login({ url: authorizeUrl(idp), user: 'alice', password: 'pass-that-is-wrong' })),
      await rejection(idp.token({ client: 'unknown-client' })),
      await rejection(idp.addUser({ username: 'eve', password: 'pass-that-is-wrong', email: 'no address' })),
    ]) {
      expect(message).not.to.match(/not the secret|pass-that-is-wrong|eyJ|wonderland/);
    }
  });

  verifies(
    ['API-29', 'API-30'],
    'stops at the end of a block, also repeatedly, and does not respond afterwards',
    async () => {
      let kept: Idp | undefined;
      {
        await using block = await startIdp({ keys: await pemKeys() });
        kept = block;
        expect((await block.fetch('/health')).status).to.equal(200);
      }
      await Promise.all([kept.stop(), kept.stop()]);
      const calls = [
        ...[kept.token(), kept.addUser({ username: 'x' }), kept.fetch('/health'), kept.reset(), kept.audit()],
        ...[kept.clock.read(), kept.faults.list(), kept.login({ url: authorizeUrl(kept), user: 'admin' })],
        kept.approveDevice({ userCode: 'X', user: 'admin' }),
      ];
      for (const call of calls) expect((await rejection(call)).kind).to.equal('stopped');
      expect(() => kept?.browser())
        .to.throw(IdpError)
        .with.property('kind', 'stopped');
    },
  );

  verifies('API-29', 'gives requests in flight a second to finish, and idle connections none', async () => {
    const slow = await startIdp({ keys: await pemKeys() });
    await slow.faults.add({ fault: 'delay', at: ['discovery'], parameters: { ms: 30_000 } });
    const held = slow.fetch('/.well-known/openid-configuration').catch((error: unknown) => error);
    await fetch(`${slow.url}/health`);
    const began = performance.now();
    await slow.stop();
    expect(performance.now() - began).to.be.below(10_000);
    // A response that a fault held back is sent at once.
    expect(await held).to.have.property('status', 200);
  });
});
