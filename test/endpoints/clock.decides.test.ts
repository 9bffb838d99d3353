import { expect } from 'chai';
import { authorizePath, codeOf, loggedIn, newBrowser, totpAt } from '#test/support/authorization-flow.ts';
import { type BrowserClient, fieldOf, redirectParameters } from '#test/support/browser-client.ts';
import { alice, carol } from '#test/support/credentials.ts';
import { claimsOf, rawRequest } from '#test/support/http.ts';
import { attributeQuery, enveloped } from '#test/support/saml/attribute-query.ts';
import { authnRequest, delivered, redirectQuery } from '#test/support/saml/service-provider.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import {
  beginDevice,
  codeFor,
  introspect,
  isActive,
  pollDevice,
  postTo,
  redeemCode,
  refresh,
  refusalOf,
  token,
  tokensFor,
  userinfo,
} from '#test/support/token-flows.ts';
import { verifies } from '#test/support/verifies.ts';
import { interactive, saml } from '#test/support/worlds.ts';

const noon = Date.UTC(2031, 2, 4, 12);
const noonText = '2031-03-04T12:00:00Z';

describe('the test clock', () => {
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({ world: interactive });
  });
  after(() => idp.stop());
  beforeEach(() => put({ at: noonText, frozen: true }));
  afterEach(async () => {
    await idp.api('DELETE', '/api/clock');
    await idp.configure();
  });

  async function put(body: object): Promise<void> {
    const { status, body: answer } = await idp.api('PUT', '/api/clock', body);
    expect(status, JSON.stringify(answer)).to.equal(200);
  }
  const advance = (seconds: number) => put({ advance_seconds: seconds });
  const settings = (changes: object) => idp.configure({ settings: { ...changes } });

  verifies('TIM-12', 'sets iat, nbf, exp and auth_time of tokens, and client_id_issued_at', async () => {
    await settings({ oauth: { dynamic_registration: { enabled: true } } });
    const code = await codeFor(idp, { scope: 'openid' });
    await advance(100);
    const { access_token, id_token, refresh_token } = (await redeemCode(idp, code)).body;
    for (const text of [access_token, id_token, refresh_token]) {
      expect(claimsOf(String(text))).to.include({ iat: noon / 1000 + 100, nbf: noon / 1000 + 100 });
    }
    expect(claimsOf(String(id_token))).to.include({ auth_time: noon / 1000, exp: noon / 1000 + 100 + 3600 });
    const client = await idp.api('POST', '/register', { redirect_uris: ['http://127.0.0.1:9/callback'] });
    expect(client.body.client_id_issued_at).to.equal(noon / 1000 + 100);
  });

  verifies('TIM-13', 'expires authorization codes after 600 s', async () => {
    const [early, late] = [await codeFor(idp), await codeFor(idp)];
    await advance(599);
    expect((await redeemCode(idp, early)).status).to.equal(200);
    await advance(1);
    expect(refusalOf(await redeemCode(idp, late))).to.deep.equal([400, 'invalid_grant']);
  });

  verifies('TIM-13', 'expires transactions after 600 s', async () => {
    const [early, late] = [newBrowser(idp), newBrowser(idp)];
    const [earlyForm, lateForm] = [await early.get(authorizePath()), await late.get(authorizePath())];
    await advance(599);
    codeOf(await early.submit(earlyForm, alice));
    await advance(1);
    expect((await late.submit(lateForm, alice)).status).to.equal(400);
  });

  verifies(['TIM-13', 'TIM-16'], 'expires second factors after 300 s, and validates their codes', async () => {
    await settings({ login: { totp: true } });
    const begin = async () => {
      const browser = newBrowser(idp);
      return { browser, screen: await browser.submit(await browser.get(authorizePath()), carol) };
    };
    const [early, late] = [await begin(), await begin()];
    expect(fieldOf(early.screen, 'totp_code')).to.equal('');
    await advance(299);
    const real = await early.browser.submit(early.screen, { totp_code: totpAt(Date.now()) });
    expect(fieldOf(real, 'totp_code')).to.equal('');
    codeOf(await early.browser.submit(real, { totp_code: totpAt(noon + 299_000) }));
    await advance(1);
    const over = await late.browser.submit(late.screen, { totp_code: totpAt(noon + 300_000) });
    expect(over.location ?? '').to.not.contain('code=');
    expect(fieldOf(over, 'totp_code')).to.equal(undefined);
  });

  verifies('TIM-13', 'expires device grants after their stated lifetime', async () => {
    const [early, late] = [await beginDevice(idp), await beginDevice(idp)];
    for (const { user_code } of [early, late]) {
      await newBrowser(idp).post('/device', { user_code, ...alice });
    }
    await advance(599);
    expect((await pollDevice(idp, early.device_code)).status).to.equal(200);
    await advance(1);
    expect(refusalOf(await pollDevice(idp, late.device_code))).to.deep.equal([400, 'expired_token']);
  });

  verifies(
    ['TIM-14', 'TIM-21'],
    'accepts a presented token until its exp, and again if the clock moves back before it',
    async () => {
      const { access_token, refresh_token } = await tokensFor(idp, { scope: 'openid' });
      const lives = async () => [(await userinfo(idp, access_token)).status, await isActive(idp, access_token)];
      await advance(3599);
      expect(await lives()).to.deep.equal([200, true]);
      await advance(1);
      expect(await lives()).to.deep.equal([401, false]);
      const over = Number(claimsOf(String(refresh_token)).exp) * 1000;
      await put({ at: new Date(over).toISOString() });
      expect(refusalOf(await refresh(idp, refresh_token))).to.deep.equal([400, 'invalid_grant']);
      await advance(-1);
      expect((await refresh(idp, refresh_token)).status).to.equal(200);
      await put({ at: noonText });
      expect(await lives()).to.deep.equal([200, true]);
    },
  );

  verifies(
    'TIM-14',
    'rejects a token with a later nbf as inactive, with 401 or invalid_grant, and does not revoke it',
    async () => {
      const { access_token, refresh_token } = await tokensFor(idp, { scope: 'openid' });
      await advance(-1);
      expect((await introspect(idp, access_token)).body).to.deep.equal({ active: false });
      expect((await introspect(idp, refresh_token)).body).to.deep.equal({ active: false });
      const refused = await userinfo(idp, access_token);
      expect([refused.status, refused.body.error]).to.deep.equal([401, 'invalid_token']);
      expect(refusalOf(await refresh(idp, refresh_token))).to.deep.equal([400, 'invalid_grant']);
      for (const text of [access_token, refresh_token]) {
        expect((await postTo(idp, '/revoke', { token: text ?? '' })).status).to.equal(200);
      }
      await advance(1);
      expect(await isActive(idp, access_token)).to.equal(true);
      expect((await refresh(idp, refresh_token)).status).to.equal(200);
    },
  );

  verifies(['TIM-15', 'TIM-23'], 'measures device polling, and treats a poll from the future as old', async () => {
    await settings({ security_profile: 'oauth21', device_flow: { polling_interval: 5 } });
    const { device_code } = await beginDevice(idp);
    const poll = async () => refusalOf(await pollDevice(idp, device_code))[1];
    expect(await poll()).to.equal('authorization_pending');
    await advance(4.999);
    expect(await poll()).to.equal('slow_down');
    await advance(9.999);
    expect(await poll()).to.equal('slow_down');
    await advance(15);
    expect(await poll()).to.equal('authorization_pending');
    await advance(-60);
    expect(await poll()).to.equal('authorization_pending');
    expect(await poll()).to.equal('slow_down');
  });

  verifies('TIM-20', 'keeps expired objects expired when it moves back', async () => {
    const code = await codeFor(idp);
    const browser = newBrowser(idp);
    const form = await browser.get(authorizePath());
    const device = await beginDevice(idp);
    await newBrowser(idp).post('/device', { user_code: device.user_code, ...alice });
    expect((await idp.audit('&event_type=device_verification')).at(-1)).to.include({ status: 'success' });
    await advance(600);
    await advance(-600);
    expect(refusalOf(await redeemCode(idp, code))).to.deep.equal([400, 'invalid_grant']);
    expect((await browser.submit(form, alice)).status).to.equal(400);
    expect(refusalOf(await pollDevice(idp, device.device_code))).to.deep.equal([400, 'expired_token']);
  });

  verifies(['TIM-20', 'SSO-05'], 'keeps an expired session expired when it moves back', async () => {
    await settings({ login: { session: 'on', session_idle_minutes: 10 } });
    const silent = async (browser: BrowserClient) =>
      redirectParameters(await browser.get(authorizePath({ prompt: 'none' }))).get('error');
    const over = await loggedIn(idp);
    expect(await silent(over)).to.equal(null);
    await advance(300);
    const live = await loggedIn(idp);
    await advance(300);
    expect([await silent(over), await silent(live)]).to.deep.equal(['login_required', null]);
    await advance(-1);
    expect([await silent(over), await silent(live)]).to.deep.equal(['login_required', null]);
  });

  verifies('TIM-22', 'keeps revoked and used tokens invalid wherever it moves', async () => {
    await settings({ oauth: { refresh_token_rotation: true } });
    const revoked = await tokensFor(idp);
    const spent = await tokensFor(idp);
    await postTo(idp, '/revoke', { token: revoked.access_token ?? '' });
    expect((await refresh(idp, spent.refresh_token)).status).to.equal(200);
    const familyRevoked = await tokensFor(idp);
    await postTo(idp, '/revoke', { token: familyRevoked.refresh_token ?? '' });
    for (const at of ['2032-01-01T00:00:00Z', '2001-01-01T00:00:00Z', noonText]) {
      await put({ at });
      // Each new record may remove old ones.
      expect((await token(idp, { grant_type: 'client_credentials' })).status).to.equal(200);
      await codeFor(idp);
    }
    expect(await isActive(idp, revoked.access_token)).to.equal(false);
    expect(await isActive(idp, familyRevoked.access_token)).to.equal(false);
    expect(refusalOf(await refresh(idp, familyRevoked.refresh_token))).to.deep.equal([400, 'invalid_grant']);
    expect(refusalOf(await refresh(idp, spent.refresh_token))).to.deep.equal([400, 'invalid_grant']);
  });

  verifies('TIM-23', 'ignores a session that was created later than its time', async () => {
    await settings({ require_ui_login: true });
    const browser = await loggedIn(idp);
    const dashboard = async () => (await browser.get('/')).status;
    expect(await dashboard()).to.equal(200);
    await put({ advance_seconds: -0.001 });
    expect(await dashboard()).to.equal(302);
    await put({ advance_seconds: 0.001 });
    expect(await dashboard()).to.equal(200);
  });

  verifies(
    ['TIM-18', 'TIM-19'],
    'affects neither the Date header, cookies, reloads nor real waiting times',
    async () => {
      const begun = performance.now();
      for (const at of ['2099-12-31T23:59:59Z', '2000-01-01T00:00:00Z', noonText]) {
        await put({ at });
        const page = await newBrowser(idp).post('/login', alice);
        expect(page.headers.get('set-cookie')).to.not.match(/expires|max-age/i);
        expect(Math.abs(Date.parse(page.headers.get('date') ?? '') - Date.now())).to.be.below(10_000);
        expect((await redeemCode(idp, await codeFor(idp, { scope: 'openid' }))).status).to.equal(200);
        await idp.configure();
        expect((await idp.api('POST', '/api/keys/rotate')).status).to.equal(200);
        expect((await idp.api('GET', '/api/keys/info')).status).to.equal(200);
      }
      expect(performance.now() - begun).to.be.below(45_000);
      expect(idp.log()).to.not.match(/2099-12-31|2000-01-01/);
    },
  );
});

describe('the test clock in SAML', () => {
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({ world: saml });
  });
  after(() => idp.stop());

  verifies(['TIM-12', 'TIM-23'], 'sets every instant of a Response and of an attribute query response', async () => {
    await idp.api('PUT', '/api/clock', { at: noonText, frozen: true });
    const browser = await loggedIn(idp);
    const login = () => browser.get(`/saml/sso?${redirectQuery(authnRequest())}`);
    const documents = [delivered(await login()).xml];
    const query = { method: 'POST', body: enveloped(attributeQuery()) };
    documents.push((await rawRequest(`${idp.baseUrl}/saml/attribute-query`, query)).body);
    for (const xml of documents) {
      const instants = xml.match(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[^"<]*/g) ?? [];
      expect(instants.length, xml).to.be.above(1);
      for (const text of instants) expect(text).to.match(/^2031-03-04T1[123]:\d\d:00Z$/);
      expect(instants).to.include(noonText);
    }
    await idp.api('PUT', '/api/clock', { advance_seconds: -1 });
    expect((await login()).text).to.contain('Password');
  });
});

describe('logins that began while the clock was ahead', () => {
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({ world: interactive });
  });
  after(() => idp.stop());

  const abandonLogins = async (count: number) => {
    const answers = await Promise.all(Array.from({ length: count }, () => fetch(idp.baseUrl + authorizePath())));
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200]));
  };

  verifies(
    ['AUT-45', 'TIM-07'],
    'take no slot from later ones, however often the clock moved forward and back',
    async () => {
      for (let round = 0; round < 11; round += 1) {
        await idp.api('PUT', '/api/clock', { advance_seconds: 31 * 86_400 });
        await abandonLogins(100);
        // Moving back by hand ends no later login. Returning to real time does.
        if (round % 2 === 0) await idp.api('PUT', '/api/clock', { offset_seconds: 0 });
        else await idp.api('DELETE', '/api/clock');
      }
      const browser = newBrowser(idp);
      codeOf(await browser.submit(await browser.get(authorizePath()), alice));
    },
  );

  verifies('RUN-18', 'end with DELETE /api/runtime after the clock moved back', async () => {
    const browser = newBrowser(idp);
    await idp.api('PUT', '/api/clock', { advance_seconds: 60 });
    const ahead = await browser.get(authorizePath());
    const other = newBrowser(idp);
    await idp.api('PUT', '/api/clock', { offset_seconds: 0 });
    const present = await other.get(authorizePath());
    expect((await idp.api('DELETE', '/api/runtime')).status).to.equal(200);
    expect((await browser.submit(ahead, alice)).status).to.equal(400);
    codeOf(await other.submit(present, alice));
  });
});

describe('the windows of the request rate', () => {
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({
      world: interactive,
      settings: { rate_limit_enabled: true, server: { rate_limit_token_endpoint: '2/hour' } },
    });
  });
  after(() => idp.stop());

  verifies('TIM-17', 'follow the clock', async () => {
    const ask = () => token(idp, { grant_type: 'client_credentials' });
    await idp.api('PUT', '/api/clock', { at: noonText, frozen: true });
    expect([(await ask()).status, (await ask()).status]).to.deep.equal([200, 200]);
    const limited = await ask();
    expect([limited.status, limited.headers.get('retry-after')]).to.deep.equal([429, '3600']);
    await idp.api('PUT', '/api/clock', { advance_seconds: 3599 });
    const nearly = await ask();
    expect([nearly.status, nearly.headers.get('retry-after')]).to.deep.equal([429, '1']);
    await idp.api('PUT', '/api/clock', { advance_seconds: 1 });
    expect((await ask()).status).to.equal(200);
  });
});
