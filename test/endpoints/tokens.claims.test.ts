// The claims of tokens as the flows issue them: what each grant knows of the login, what a refresh keeps and drops, and
// which token contains which members. Unit tests cover how an authorization becomes claims.

import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { authorizePath, codeOf, newBrowser, totpAt } from '#test/support/authorization-flow.ts';
import { alice, carol, web } from '#test/support/credentials.ts';
import { basic, claimsOf, rawRequest } from '#test/support/http.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { beginDevice, pollDevice, redeemCode, refresh, token } from '#test/support/token-flows.ts';
import { verifies } from '#test/support/verifies.ts';
import { interactive, interactiveUsers } from '#test/support/worlds.ts';

type Tokens = Readonly<Record<string, string>>;

describe('the claims of issued tokens', () => {
  let idp: RunningIdp;
  const users = {
    ...interactiveUsers,
    alice: { ...interactiveUsers.alice, groups: ['staff'], identity_class: 'INTERNAL', entitlements: ['deploy'] },
    bob: { roles: [], tenant: '' },
  };
  before(async () => {
    idp = await startIdp({ world: interactive, users });
  });
  after(() => idp.stop());
  afterEach(() => idp.setClock(0));

  const succeeded = ({ status, body, text }: Awaited<ReturnType<typeof token>>): Tokens => {
    expect(status, text).to.equal(200);
    return body as Tokens;
  };
  const idTokenOf = (tokens: Tokens) => claimsOf(tokens.id_token ?? '');
  const refreshed = async (tokens: Tokens, fields: Record<string, string> = {}) =>
    succeeded(await refresh(idp, tokens.refresh_token, fields));
  const byPassword = async (fields: Record<string, string> = {}) =>
    succeeded(await token(idp, { grant_type: 'password', ...alice, scope: 'openid email', ...fields }));

  const begun = Date.now();
  const ahead = (seconds: number) => idp.setClock(seconds * 1000);
  /** The test takes real time too, so times are only accurate to minutes. The steps are hours apart. */
  const expectMoment = (tokens: Tokens, seconds: number) =>
    expect(Number(idTokenOf(tokens).auth_time) - begun / 1000).to.be.within(seconds - 5, seconds + 300);

  verifies('CLM-24', 'have the login, the device approval or the password request as auth_time', async () => {
    const browser = newBrowser(idp);
    const page = await browser.get(authorizePath({ scope: 'openid' }));
    const device = await beginDevice(idp, { scope: 'openid' });
    await ahead(520);
    const code = codeOf(await browser.submit(page, alice));
    expect((await newBrowser(idp).post('/device', { user_code: device.user_code, ...alice })).status).to.equal(200);
    await ahead(580);
    const fromCode = succeeded(await redeemCode(idp, code));
    const fromDevice = succeeded(await pollDevice(idp, device.device_code));
    const fromPassword = await byPassword();
    for (const tokens of [fromCode, fromDevice]) {
      const { auth_time: authTime, iat } = idTokenOf(tokens);
      expect(Number(iat) - Number(authTime)).to.be.within(50, 500);
      expect(Number(authTime) - begun / 1000).to.be.within(515, 900);
    }
    expect(idTokenOf(fromPassword).auth_time).to.be.closeTo(Number(idTokenOf(fromPassword).iat), 1);
    await ahead(36_000);
    for (const tokens of [fromCode, fromDevice, fromPassword]) {
      const once = await refreshed(tokens);
      const twice = await refreshed(once);
      expect(idTokenOf(twice).auth_time).to.equal(idTokenOf(tokens).auth_time);
      expect(Number(idTokenOf(twice).iat) - begun / 1000).to.be.within(35_995, 36_300);
    }
    expectMoment(await byPassword(), 36_000);
  });

  verifies('CLM-23', 'contain the nonce of the request in the first ID token, but not after a refresh', async () => {
    const login = async (parameters: Record<string, string>) => {
      const page = await newBrowser(idp).post(authorizePath({ scope: 'openid', ...parameters }), alice);
      return succeeded(await redeemCode(idp, codeOf(page), { nonce: 'of the redemption' }));
    };
    const tokens = await login({ nonce: 'n-0S6_WzA2Mj' });
    expect(idTokenOf(tokens).nonce).to.equal('n-0S6_WzA2Mj');
    expect(idTokenOf(await refreshed(tokens, { nonce: 'n-0S6_WzA2Mj' }))).not.to.have.property('nonce');
    expect(idTokenOf(await login({ nonce: '' }))).not.to.have.property('nonce');
    expect(claimsOf(tokens.access_token ?? '')).not.to.have.property('nonce');
    expect(claimsOf(tokens.refresh_token ?? '')).not.to.have.property('nonce');
  });

  verifies(
    'CLM-26',
    'contain the factors as amr while TOTP is active, on every refresh, and never otherwise',
    async () => {
      const login = async (fields: Record<string, string>) => {
        const page = await newBrowser(idp).post(authorizePath({ scope: 'openid' }), fields);
        return succeeded(await redeemCode(idp, codeOf(page)));
      };
      expect(idTokenOf(await login(alice))).not.to.have.property('amr');

      await idp.configure({ users, settings: { login: { totp: true } } });
      for (const [fields, amr] of [
        [alice, ['pwd']],
        [{ ...carol, totp_code: totpAt(Date.now()) }, ['pwd', 'otp']],
      ] as const) {
        const tokens = await login(fields);
        const again = await refreshed(tokens);
        for (const one of [tokens, again, await refreshed(again)]) {
          expect(idTokenOf(one).amr).to.deep.equal(amr);
          expect(claimsOf(one.access_token ?? '')).not.to.have.property('amr');
        }
      }
      const fromPassword = await byPassword(carol);
      expect(idTokenOf(fromPassword)).not.to.have.property('amr');
      expect(idTokenOf(await refreshed(fromPassword))).not.to.have.property('amr');

      await idp.configure({ users, settings: { login: { totp: true, mode: 'persona' } } });
      expect(idTokenOf(await login({ username: 'carol' }))).not.to.have.property('amr');
      await idp.configure({ users });
    },
  );

  const frame = ['iss', 'sub', 'aud', 'iat', 'nbf', 'exp', 'jti', 'token_use'];

  verifies(
    ['CLM-03', 'CLM-09', 'CLM-15', 'CLM-27', 'CLM-31'],
    'are exactly the listed members for each token of a user grant, with extra only in the access token',
    async () => {
      const claims = JSON.stringify({ id_token: { email: null }, userinfo: { groups: null } });
      const path = authorizePath({ scope: 'openid email', resource: 'https://api.example', nonce: 'n', claims });
      const page = await newBrowser(idp).post(path, alice);
      const extra = { extra: '{"purpose":"test"}' };
      const first = succeeded(await redeemCode(idp, codeOf(page), extra));
      const second = await refreshed(first, extra);
      const access = [
        'client_id',
        'scope',
        'roles',
        'groups',
        'tenant',
        'identity_class',
        'entitlements',
        'authorities',
      ];
      for (const [tokens, nonce] of [
        [first, ['nonce']],
        [second, []],
      ] as const) {
        const [accessToken, idToken, refreshToken] = [tokens.access_token, tokens.id_token, tokens.refresh_token].map(
          (text) => claimsOf(text ?? ''),
        );
        expect(accessToken).to.have.all.keys(...frame, ...access, 'req_userinfo_claims', 'purpose');
        expect(accessToken).to.deep.include({ sub: 'alice', aud: 'https://api.example', token_use: 'access' });
        expect(idToken).to.have.all.keys(...frame, 'auth_time', 'at_hash', 'email', ...nonce);
        expect(idToken).to.deep.include({ sub: 'alice', aud: 'web', token_use: 'id' });
        expect(refreshToken).to.have.all.keys(
          ...[...frame, 'client_id', 'scope', 'auth_time', 'resource', 'token_type', 'rt_family'],
          ...['req_id_token_claims', 'req_userinfo_claims'],
        );
        expect(refreshToken).to.deep.include({ sub: 'alice', aud: 'default', token_use: 'refresh' });
        const ids = [accessToken?.jti, idToken?.jti, refreshToken?.jti];
        expect(new Set(ids)).to.have.property('size', 3);
        expect(accessToken?.nbf).to.equal(accessToken?.iat);
      }
    },
  );

  verifies(['CLM-10', 'CLM-13', 'CLM-14'], 'omit what the user lacks and what was not granted', async () => {
    const answer = await fetch(`${idp.baseUrl}/api/users/bob/token`, { method: 'POST' });
    const { access_token: text } = (await answer.json()) as { access_token: string };
    expect(claimsOf(text)).to.have.all.keys(...frame);
  });

  verifies(
    ['CLM-16', 'CLM-19'],
    'are ten members in a client’s own token, and a lifetime applies to every token of a response',
    async () => {
      const form = { grant_type: 'client_credentials', scope: 'email', extra: '{"purpose":"test"}', exp: '7' };
      const own = claimsOf(succeeded(await token(idp, form)).access_token ?? '');
      expect(own).to.have.all.keys(...frame, 'client_id', 'scope', 'purpose');
      expect(own).to.deep.include({
        sub: 'web',
        client_id: 'web',
        aud: 'default',
        scope: 'email',
        token_use: 'access',
      });
      const tokens = await byPassword({ exp: '7' });
      for (const text of [tokens.access_token, tokens.id_token]) {
        const { iat, exp } = claimsOf(text ?? '');
        expect(Number(exp) - Number(iat)).to.equal(420);
      }
    },
  );

  verifies(
    ['CLM-11', 'CLM-12', 'CLM-20', 'CLM-22', 'CLM-25', 'CLM-28', 'CLM-29', 'CLM-30', 'CLM-32'],
    'include prefixes, further audiences and requested attributes from the files and the request',
    async () => {
      const dave = {
        password: 'd',
        ...{ roles: ['dev', 'Ops'], groups: ['staff'], identity_class: 'Internal', entitlements: ['deploy'] },
        ...{ source_acl: ['acl:read'], attributes: { teams: ['red', 'blue'], level: 3, empty: '' } },
      };
      await idp.configure({
        users: { ...users, dave },
        clients: [
          { client_id: 'wide', client_secret: 's', additional_audiences: ['api-b', 'wide', 'default', 'api-a'] },
        ],
        settings: { authority_prefixes: { groups: 'G/', teams: 'TEAM:' }, oauth: { refresh_token_expiry_minutes: 5 } },
      });
      const claims = JSON.stringify({
        id_token: { level: null, empty: null, source_acl: null, sub: null, unknown: {} },
      });
      const query = authorizePath({ client_id: 'wide', scope: 'openid', resource: 'https://api.example', claims });
      const page = await newBrowser(idp).post(query, { username: 'dave', password: 'd' });
      const tokens = succeeded(
        await redeemCode(idp, codeOf(page), { exp: '1' }, { Authorization: basic('wide', 's') }),
      );
      expect(claimsOf(tokens.access_token ?? '').authorities).to.deep.equal([
        ...['ROLE_DEV', 'ROLE_OPS', 'G/STAFF', 'IDENTITY_Internal', 'ENT_deploy', 'acl:read', 'TEAM:red', 'TEAM:blue'],
      ]);
      const idToken = idTokenOf(tokens);
      expect(idToken.aud).to.deep.equal(['wide', 'api-b', 'api-a']);
      expect(idToken).to.include({ azp: 'wide', level: 3, sub: 'dave' });
      expect(idToken).not.to.have.any.keys('empty', 'source_acl', 'unknown');
      const half = createHash('sha256')
        .update(tokens.access_token ?? '')
        .digest()
        .subarray(0, 16);
      expect(idToken.at_hash).to.equal(half.toString('base64url'));
      const refreshToken = claimsOf(tokens.refresh_token ?? '');
      expect(refreshToken).to.include({
        aud: 'default',
        token_type: 'refresh',
        token_use: 'refresh',
        client_id: 'wide',
      });
      expect(Number(refreshToken.exp) - Number(refreshToken.iat)).to.equal(300);
      await idp.configure({ users });
    },
  );

  verifies(['ISS-03', 'ISS-06', 'ISS-11'], 'have the origin of the request as iss within the allowlist', async () => {
    await idp.configure({ users, settings: { oauth: { issuer_allowlist: ['http://idp.test:8443'] } } });
    const form = new URLSearchParams({ grant_type: 'password', ...alice, scope: 'openid' });
    const ask = async (body: URLSearchParams, headers: Record<string, string>) => {
      const sent = { ...web, 'Content-Type': 'application/x-www-form-urlencoded', ...headers };
      const answer = await rawRequest(`${idp.baseUrl}/token`, { method: 'POST', headers: sent, body: String(body) });
      return JSON.parse(answer.body) as Tokens;
    };
    const issuers = (tokens: Tokens) =>
      [tokens.access_token, tokens.id_token, tokens.refresh_token].map((text) => claimsOf(text ?? '').iss);
    const listed = await ask(form, { Host: 'idp.test:8443', Forwarded: 'host=evil.test;proto=https' });
    expect(issuers(listed)).to.deep.equal(Array(3).fill('http://idp.test:8443'));
    const unlisted = { Host: 'IDP.test:8443', 'X-Forwarded-Host': 'idp.test:8443', 'X-Forwarded-Port': '8443' };
    const again = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: listed.refresh_token ?? '' });
    expect(issuers(await ask(again, unlisted))).to.deep.equal(Array(3).fill('http://127.0.0.1:8000'));
    await idp.configure({ users });
  });
});
