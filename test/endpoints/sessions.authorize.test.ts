// /authorize answers from the session of a browser: when it does, for which account, and what it asks the user first.
import { expect } from 'chai';
import { authorizePath, codeOf, loggedIn, newBrowser, redeem, totpAt } from '#test/support/authorization-flow.ts';
import { type BrowserClient, fieldOf, type Page, redirectParameters } from '#test/support/browser-client.ts';
import { basic, claimsOf } from '#test/support/http.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { callback, interactive, totpSecret } from '#test/support/worlds.ts';

const alice = { username: 'alice', password: 'wonderland' };
const bob = { username: 'bob', password: 'builder' };
const users = {
  alice: { password: 'wonderland', email: 'alice@example.org' },
  bob: { password: 'builder' },
  carol: { password: 'cabbage' },
};
const login = { session: 'on', totp: true };
const clients = [{ client_id: 'patient', client_secret: 's', redirect_uris: [callback], default_max_age: 100 }];
const sfa = 'https://refeds.org/profile/sfa';
const mfa = 'https://refeds.org/profile/mfa';

describe('sessions at /authorize', () => {
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({ world: interactive, users, settings: { login }, clients });
  });
  afterEach(() => idp.setClock(0));
  after(() => idp.stop());

  async function logIn(browser: BrowserClient, who: typeof alice, changes: Record<string, string> = {}): Promise<Page> {
    return browser.submit(await browser.get(authorizePath({ prompt: 'login', ...changes })), who);
  }
  async function withSession(...people: (typeof alice)[]): Promise<BrowserClient> {
    const browser = newBrowser(idp);
    for (const who of people.length === 0 ? [alice] : people) codeOf(await logIn(browser, who));
    return browser;
  }
  const silent = (browser: BrowserClient, changes: Record<string, string> = {}) =>
    browser.get(authorizePath({ prompt: 'none', scope: 'openid', ...changes }));
  const errorOf = (page: Page) => redirectParameters(page).get('error');
  async function tokensOf(page: Page, fields: Record<string, string> = {}) {
    const { body } = await redeem(idp, codeOf(page), fields);
    return { body, id: claimsOf(String(body.id_token)), access: claimsOf(String(body.access_token)) };
  }
  const hintOf = async (who: typeof alice) =>
    String((await tokensOf(await logIn(newBrowser(idp), who, { scope: 'openid' }))).body.id_token);

  verifies(
    ['SSO-02', 'SSO-11', 'SSO-13', 'SSO-14', 'SSO-46'],
    'answer the next request with the time of the login',
    async () => {
      const browser = newBrowser(idp);
      const first = await tokensOf(await logIn(browser, alice, { scope: 'openid offline_access' }));
      await idp.setClock(50_000);
      const events = await idp.audited(async () => {
        const answered = await browser.get(authorizePath({ scope: 'openid', state: 's' }));
        expect([answered.status, redirectParameters(answered).get('state')]).to.deep.equal([302, 's']);
        const second = await tokensOf(answered);
        expect(second.id).to.include({ auth_time: first.id.auth_time, sid: first.id.sid, acr: sfa, sub: 'alice' });
        expect(second.id.amr).to.deep.equal(['pwd']);
        expect(first.access).to.not.have.any.keys('sid', 'acr');
      });
      const [asked] = events.filter(({ event_type }) => event_type === 'authorization_request');
      expect(asked?.details).to.include({ sso: true });
      // A form, because the request asked for form_post, and no transaction pending.
      const form = await browser.get(authorizePath({ response_mode: 'form_post' }));
      expect(fieldOf(form, 'code')).to.be.a('string');
      expect((await browser.get('/authorize')).status).to.equal(400);
      const refreshed = await fetch(`${idp.baseUrl}/token`, {
        method: 'POST',
        headers: { Authorization: basic('web', 'web-secret') },
        body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: String(first.body.refresh_token) }),
      });
      const { id_token } = (await refreshed.json()) as Record<string, string>;
      expect(claimsOf(String(id_token))).to.include({ sid: first.id.sid, auth_time: first.id.auth_time, acr: sfa });
      // Another login of the same user keeps the session. Another browser has its own session.
      const again = await tokensOf(await logIn(browser, alice, { scope: 'openid' }));
      expect(again.id.sid).to.equal(first.id.sid);
      expect(again.id.auth_time).to.be.above(Number(first.id.auth_time));
      const other = await tokensOf(await logIn(newBrowser(idp), alice, { scope: 'openid' }));
      expect(other.id.sid).to.not.equal(first.id.sid);
    },
  );

  verifies('SSO-46', 'are recorded once when they begin', async () => {
    const events = await idp.audited(async () => {
      const browser = await withSession();
      await logIn(browser, alice);
      await silent(browser);
    });
    const started = events.filter(({ event_type }) => event_type === 'session_started');
    expect(started).to.have.length(1);
    expect(started[0]).to.deep.include({ username: 'alice', endpoint: '/authorize', status: 'success' });
    expect(started[0]?.details).to.have.all.keys('sid', 'method').and.to.include({ method: 'password' });
  });

  verifies('SSO-02', 'are neither created nor used by the password grant and the REST API', async () => {
    const browser = newBrowser(idp);
    const body = { grant_type: 'password', ...alice };
    const headers = { Authorization: basic('web', 'web-secret') };
    const answered = await browser.post('/token', body, headers);
    expect(answered.status).to.equal(200);
    await browser.post('/api/users/alice/token');
    expect(errorOf(await silent(browser))).to.equal('login_required');
  });

  verifies(
    ['SSO-03', 'SSO-04'],
    'get a new cookie at login, the old one becomes invalid, and pending logins continue',
    async () => {
      const browser = newBrowser(idp);
      const [pending, other] = [await browser.get(authorizePath({ state: 'one' })), newBrowser(idp)];
      const before = new Map(browser.cookies);
      const page = await browser.get(authorizePath({ state: 'two' }));
      codeOf(await browser.submit(page, alice));
      expect([...browser.cookies.values()]).to.not.deep.equal([...before.values()]);
      for (const [name, value] of before) other.cookies.set(name, value);
      expect(errorOf(await silent(other))).to.equal('login_required');
      expect(redirectParameters(await browser.submit(pending, alice)).get('state')).to.equal('one');
      const copy = newBrowser(idp);
      for (const [name, value] of browser.cookies) copy.cookies.set(name, value);
      codeOf(await silent(copy));
      await browser.submit(await browser.get('/logout'), { confirm: 'yes' });
      expect(errorOf(await silent(copy))).to.equal('login_required');
      expect(errorOf(await silent(browser))).to.equal('login_required');
    },
  );

  verifies('SSO-05', 'expire after their lifetime, or when unused for too long', async () => {
    const browser = await withSession();
    for (const minutes of [59, 117, 176]) {
      await idp.setClock(minutes * 60_000);
      codeOf(await silent(browser));
    }
    await idp.setClock((176 + 61) * 60_000);
    expect(errorOf(await silent(browser))).to.equal('login_required');
    const active = await withSession();
    for (let minutes = 58; minutes < 480; minutes += 58) {
      await idp.setClock((237 + minutes) * 60_000);
      codeOf(await silent(active));
    }
    await idp.setClock((237 + 481) * 60_000);
    expect(errorOf(await silent(active))).to.equal('login_required');
  });

  verifies('SSO-06', 'are shared between /login, /authorize and the web UI', async () => {
    codeOf(await silent(await loggedIn(idp)));
    const browser = await withSession();
    expect((await browser.get('/')).text).to.contain('alice');
  });

  verifies(['SSO-12', 'SSO-15'], 'answer prompt=none without a page', async () => {
    const stranger = newBrowser(idp);
    expect(redirectParameters(await silent(stranger, { state: 'x' })).get('state')).to.equal('x');
    expect(errorOf(await silent(stranger))).to.equal('login_required');
    const posted = await silent(stranger, { response_mode: 'form_post' });
    expect(fieldOf(posted, 'error')).to.equal('login_required');
    const both = await withSession(alice, bob);
    expect(errorOf(await silent(both, { prompt: 'none login' }))).to.equal('invalid_request');
    // The server checks the hint first, then the age of the session, then the authentication context.
    const hint = await hintOf({ username: 'carol', password: 'cabbage' });
    const all = { max_age: '0', acr_values: mfa };
    expect(errorOf(await silent(both, { ...all, id_token_hint: hint }))).to.equal('login_required');
  });

  verifies(
    'SSO-16',
    'are asked for a login by prompt=login even if sufficient, which can add another user',
    async () => {
      const browser = newBrowser(idp);
      const first = await tokensOf(await logIn(browser, alice, { scope: 'openid' }));
      await idp.setClock(10_000);
      const page = await browser.get(authorizePath({ prompt: 'login', scope: 'openid' }));
      expect(page.status).to.equal(200);
      const second = await tokensOf(await browser.submit(page, alice));
      expect(second.id.auth_time).to.be.above(Number(first.id.auth_time));
      codeOf(await logIn(browser, bob));
      expect((await tokensOf(await silent(browser, { login_hint: 'alice@example.org' }))).id.sub).to.equal('alice');
      expect((await tokensOf(await silent(browser, { login_hint: 'bob' }))).id.sub).to.equal('bob');
    },
  );

  verifies(['SSO-17', 'SSO-27'], 'let the user choose one of several accounts, and the client keeps it', async () => {
    const browser = await withSession(alice, bob);
    const page = await browser.get(authorizePath({ prompt: 'select_account', scope: 'openid' }));
    const buttons = page.forms.flatMap((form) => form.buttons).map(([name, value]) => `${name}=${value}`);
    expect(buttons).to.include.members(['account=alice', 'account=bob', 'use_another=1', 'cancel=1']);
    expect((await tokensOf(await browser.submit(page, { account: 'alice' }))).id.sub).to.equal('alice');
    expect((await tokensOf(await silent(browser))).id.sub).to.equal('alice');
    const anew = await browser.get(authorizePath({ prompt: 'select_account', scope: 'openid' }));
    const loginPage = await browser.submit(anew, { use_another: '1' });
    expect(fieldOf(loginPage, 'password')).to.equal('');
    expect((await tokensOf(await browser.submit(loginPage, bob))).id.sub).to.equal('bob');
    // A client that has not used any of them cannot know which one is meant.
    const spa = { client_id: 'patient' };
    expect(errorOf(await silent(browser, spa))).to.equal('account_selection_required');
    expect((await browser.get(authorizePath(spa))).text).to.contain('Choose an account');
    const fresh = await newBrowser(idp).get(authorizePath({ prompt: 'select_account' }));
    expect(fieldOf(fresh, 'password')).to.equal('');
  });

  verifies(['SSO-18', 'SSO-19', 'SSO-35'], 'apply known prompt values in order and ignore unknown ones', async () => {
    const browser = await withSession();
    codeOf(await browser.get(authorizePath({ prompt: 'unheard_of' })));
    const first = await browser.get(authorizePath({ prompt: 'consent select_account login', scope: 'openid email' }));
    expect(fieldOf(first, 'password')).to.equal('');
    const second = await browser.submit(first, bob);
    expect(second.text).to.contain('Choose an account');
    const third = await browser.submit(second, { account: 'bob' });
    expect(third.text).to.contain('web').and.to.contain('email').and.to.contain('bob');
    expect((await tokensOf(await browser.submit(third, { consent: 'allow' }))).id.sub).to.equal('bob');
  });

  verifies(['SSO-20', 'SSO-21'], 'need a login if older than max_age', async () => {
    const browser = await withSession();
    await idp.setClock(100_000);
    // The logins and requests so far took less than a minute.
    codeOf(await silent(browser, { max_age: '160' }));
    expect(errorOf(await silent(browser, { max_age: '98' }))).to.equal('login_required');
    expect(errorOf(await silent(browser, { max_age: '0' }))).to.equal('login_required');
    for (const max_age of ['-1', '1.5', 'x'])
      expect(errorOf(await silent(browser, { max_age }))).to.equal('invalid_request');
    const page = await browser.get(authorizePath({ max_age: '0' }));
    expect(fieldOf(page, 'username')).to.equal('alice');
    codeOf(await browser.submit(page, alice));
    await idp.setClock(202_000);
    expect(errorOf(await silent(browser, { client_id: 'patient' }))).to.equal('login_required');
    codeOf(await silent(browser, { client_id: 'patient', max_age: '1000' }));
  });

  verifies(['SSO-22', 'SSO-23'], 'are selected by an ID token as hint, expired or not', async () => {
    const hint = await hintOf(alice);
    const browser = await withSession(alice, bob);
    expect((await tokensOf(await silent(browser, { id_token_hint: hint }))).id.sub).to.equal('alice');
    expect((await tokensOf(await silent(browser))).id.sub).to.equal('alice');
    await idp.setClock(59 * 60_000);
    await silent(browser, { login_hint: 'alice' });
    await idp.setClock(100 * 60_000);
    codeOf(await silent(browser, { id_token_hint: hint }));
    const { access_token } = (await tokensOf(await silent(browser, { id_token_hint: hint }))).body;
    for (const wrong of ['x', `${hint}x`, String(access_token)]) {
      expect(errorOf(await silent(browser, { id_token_hint: wrong }))).to.equal('invalid_request');
    }
  });

  verifies(['SSO-24', 'SSO-25'], "offer only the hinted user's login if that user has no session", async () => {
    const [hint, hintOfBob] = [await hintOf(alice), await hintOf(bob)];
    const browser = await withSession(bob);
    const claims = JSON.stringify({ id_token: { sub: { value: 'alice' } } });
    for (const named of [{ id_token_hint: hint }, { claims }]) {
      expect(errorOf(await silent(browser, named))).to.equal('login_required');
      const page = await browser.get(authorizePath(named));
      expect(fieldOf(page, 'username')).to.equal('alice');
      expect(errorOf(await browser.submit(page, bob))).to.equal('login_required');
    }
    const events = await idp.audited(async () => {
      const stranger = newBrowser(idp);
      await stranger.submit(await stranger.get(authorizePath({ claims })), bob);
      expect(errorOf(await silent(stranger))).to.equal('login_required');
    });
    expect(events.filter(({ event_type }) => event_type === 'session_started')).to.have.length(0);
    const page = await browser.get(authorizePath({ claims, scope: 'openid' }));
    expect((await tokensOf(await browser.submit(page, alice))).id.sub).to.equal('alice');
    expect(errorOf(await silent(browser, { claims, id_token_hint: hintOfBob }))).to.equal('login_required');
  });

  verifies(['SSO-24', 'SSO-34'], 'record a successful login as such even if the request then rejects it', async () => {
    const essential = JSON.stringify({ id_token: { acr: { essential: true, value: mfa } } });
    const id_token_hint = await hintOf(bob);
    const events = await idp.audited(async () => {
      const browser = newBrowser(idp);
      const page = await browser.get(authorizePath({ id_token_hint }));
      expect(errorOf(await browser.submit(page, alice))).to.equal('login_required');
      expect(errorOf(await logIn(newBrowser(idp), alice, { claims: essential }))).to.equal(
        'unmet_authentication_requirements',
      );
    });
    const summary = events.map(({ event_type, status, username }) => [event_type, status, username]);
    const login = ['login', 'success', 'alice'];
    expect(summary.filter(([type]) => type === 'login')).to.deep.equal([login, login]);
    expect(summary.filter(([type, status]) => type === 'authorization_request' && status === 'failed')).to.have.length(
      2,
    );
  });

  verifies('SSO-26', 'are selected by a login_hint, and an unknown one leads to the login', async () => {
    const browser = await withSession(alice, bob);
    expect(
      (await tokensOf(await browser.get(authorizePath({ scope: 'openid', login_hint: 'alice' })))).id.sub,
    ).to.equal('alice');
    expect(errorOf(await silent(browser, { login_hint: 'carol' }))).to.equal('login_required');
    expect(fieldOf(await browser.get(authorizePath({ login_hint: 'carol' })), 'username')).to.equal('carol');
  });

  verifies(
    ['SSO-29', 'SSO-30', 'SSO-31', 'SSO-33'],
    'report the method of the login as acr, and ignore unattainable values',
    async () => {
      const browser = await withSession();
      const acr = async (changes: Record<string, string>) => (await tokensOf(await silent(browser, changes))).id.acr;
      expect(await acr({})).to.equal(sfa);
      expect(await acr({ acr_values: `${mfa} urn:unheard 0` })).to.equal('0');
      expect(await acr({ acr_values: `urn:unheard ${mfa}` })).to.equal(sfa);
      const discovery = (await idp.api('GET', '/.well-known/openid-configuration')).body;
      expect(discovery.acr_values_supported).to.deep.equal([sfa, mfa]);
      expect(discovery.claims_supported).to.include.members(['acr', 'sid']);
    },
  );

  verifies('SSO-34', 'never lead to a code with an unattainable essential acr', async () => {
    const essential = (value: string) =>
      JSON.stringify({ id_token: { acr: { essential: true, values: ['x', value] } } });
    const browser = newBrowser(idp);
    const page = await browser.get(authorizePath({ claims: essential(mfa) }));
    expect(page.status).to.equal(200);
    expect(errorOf(await browser.submit(page, alice))).to.equal('unmet_authentication_requirements');
    const known = await withSession();
    expect(errorOf(await silent(known, { claims: essential(mfa) }))).to.equal('unmet_authentication_requirements');
    expect((await tokensOf(await silent(known, { claims: essential('0') }))).id.acr).to.equal('0');
  });

  verifies('SSO-38', 'end any login page with Cancel', async () => {
    const browser = await withSession(alice, bob);
    for (const prompt of ['login', 'select_account', 'consent']) {
      const page = await browser.get(authorizePath({ prompt, state: 'c', login_hint: 'alice' }));
      const cancelled = await browser.submit(page, { cancel: '1' });
      expect(Object.fromEntries(redirectParameters(cancelled))).to.include({ error: 'access_denied', state: 'c' });
      expect((await browser.submit(page, { cancel: '1' })).status).to.equal(400);
    }
    const direct = await newBrowser(idp).post(authorizePath({ state: 'd' }), { cancel: '1' });
    expect(errorOf(direct)).to.equal('access_denied');
    // A program that submits every button of the form still logs in.
    codeOf(await newBrowser(idp).post(authorizePath(), { ...alice, cancel: '1' }));
  });

  verifies('SSO-40', 'accept a decision only from the browser that got the page, and from no other site', async () => {
    const browser = await withSession(alice, bob);
    const pages = [
      [await browser.get(authorizePath({ prompt: 'select_account' })), { account: 'alice' }],
      [await browser.get(authorizePath({ prompt: 'select_account' })), { use_another: '1' }],
      [await browser.get(authorizePath({ prompt: 'consent', login_hint: 'alice' })), { consent: 'allow' }],
      [await browser.get(authorizePath({ prompt: 'login' })), { cancel: '1' }],
    ] as const;
    for (const [page, decision] of pages) {
      const elsewhere = await browser.submit(page, decision, { 'Sec-Fetch-Site': 'cross-site' });
      expect(elsewhere.status).to.equal(403);
      expect((await newBrowser(idp).submit(page, decision)).status).to.equal(400);
    }
    const stranger = await withSession(alice);
    const page = await stranger.get(authorizePath({ prompt: 'select_account' }));
    const named = await stranger.submit(page, { account: 'bob', use_another: '1' });
    expect(named.location).to.equal(null);
    expect(named.text).to.not.contain('bob');
  });

  describe('whose settings change meanwhile', () => {
    after(() => idp.configure({ users, settings: { login }, clients }));

    verifies('SSO-32', 'ask only for the code on a step up, and remain', async () => {
      const browser = newBrowser(idp);
      const carol = { username: 'carol', password: 'cabbage' };
      const before = await tokensOf(await logIn(browser, carol, { scope: 'openid' }));
      const withCode = { ...users, carol: { password: 'cabbage', totp_secret: totpSecret } };
      await idp.configure({ users: withCode, settings: { login }, clients });
      const [asked, scope] = [{ acr_values: mfa }, 'openid'];
      expect((await tokensOf(await silent(browser))).id.acr).to.equal(sfa);
      expect(errorOf(await silent(browser, asked))).to.equal('interaction_required');
      const page = await browser.get(authorizePath({ ...asked, scope }));
      expect(fieldOf(page, 'totp_code')).to.equal('');
      expect(fieldOf(page, 'password')).to.equal(undefined);
      const raised = await tokensOf(await browser.submit(page, { totp_code: totpAt(Date.now()) }));
      expect(raised.id).to.include({ sid: before.id.sid, acr: mfa, sub: 'carol' });
      expect(raised.id.amr).to.deep.equal(['pwd', 'otp']);
      expect((await tokensOf(await silent(browser, asked))).id.acr).to.equal(mfa);
    });

    verifies(['SSO-32', 'SSO-07'], 'ask for the password again if they ended before the step up', async () => {
      const carol = { username: 'carol', password: 'cabbage' };
      const withCode = { ...users, carol: { password: 'cabbage', totp_secret: totpSecret } };
      for (const resumes of [false, true]) {
        await idp.configure({ users, settings: { login }, clients });
        const browser = newBrowser(idp);
        const { id } = await tokensOf(await logIn(browser, carol, { scope: 'openid' }));
        await idp.configure({ users: withCode, settings: { login }, clients });
        const page = await browser.get(authorizePath({ acr_values: mfa, scope: 'openid' }));
        expect(fieldOf(page, 'totp_code')).to.equal('');
        expect((await idp.api('DELETE', `/api/sessions/${id.sid}`)).status).to.equal(200);
        const totp_code = totpAt(Date.now());
        const asked = resumes ? await browser.get('/authorize') : await browser.submit(page, { totp_code });
        expect([asked.status, fieldOf(asked, 'password')]).to.deep.equal([200, '']);
        const code = await browser.submit(asked, carol);
        expect(fieldOf(code, 'totp_code')).to.equal('');
        const after = (await tokensOf(await browser.submit(code, { totp_code }))).id;
        expect(after).to.include({ sub: 'carol', acr: mfa }).and.not.to.include({ sid: id.sid });
      }
    });

    verifies('SSO-08', 'end with their user and with changed credentials, and with nothing else', async () => {
      const [first, second, third] = [await withSession(alice), await withSession(bob), await withSession(alice, bob)];
      const changed = { alice: { password: 'wonderland', email: 'new@example.org' }, bob: { password: 'other' } };
      await idp.configure({ users: changed, settings: { login: { ...login, two_step: true } }, clients });
      codeOf(await silent(first));
      expect(errorOf(await silent(second))).to.equal('login_required');
      expect((await tokensOf(await silent(third))).id.sub).to.equal('alice');
      const events = await idp.audited(async () => {
        await idp.configure({ users: { bob: { password: 'builder' } }, settings: { login }, clients });
        expect(errorOf(await silent(first))).to.equal('login_required');
      });
      const ended = events.filter(({ event_type, details }) => event_type === 'session_ended' && details.reason);
      expect(ended.map(({ details }) => details.reason)).to.include('user_deleted');
    });

    verifies(
      'SSO-09',
      'are ignored after a reload to off, and the live ones work again after a reload to on',
      async () => {
        await idp.configure({ users, settings: { login }, clients });
        const browser = await withSession();
        await idp.configure({ users, settings: {}, clients });
        expect(errorOf(await silent(browser))).to.equal('login_required');
        expect(fieldOf(await browser.get(authorizePath()), 'password')).to.equal('');
        await idp.configure({ users, settings: { login }, clients });
        codeOf(await silent(browser));
      },
    );

    verifies(['SSO-01', 'SSO-09'], 'do not appear in tokens that are issued after a reload to off', async () => {
      await idp.configure({ users, settings: { login }, clients });
      const browser = newBrowser(idp);
      const { body } = await tokensOf(await logIn(browser, alice, { scope: 'openid offline_access' }));
      const code = codeOf(await browser.get(authorizePath({ scope: 'openid' })));
      await idp.configure({ users, settings: {}, clients });
      const refreshed = await fetch(`${idp.baseUrl}/token`, {
        method: 'POST',
        headers: { Authorization: basic('web', 'web-secret') },
        body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: String(body.refresh_token) }),
      });
      for (const answer of [(await refreshed.json()) as Record<string, unknown>, (await redeem(idp, code)).body]) {
        for (const token of [answer.id_token, answer.refresh_token]) {
          if (token !== undefined) expect(claimsOf(String(token))).to.not.have.any.keys('sid', 'acr');
        }
        expect(claimsOf(String(answer.id_token)).sub).to.equal('alice');
      }
      await idp.configure({ users, settings: { login }, clients });
    });

    verifies('SSO-30', 'leave the list out of discovery if no user can reach any value', async () => {
      const acr = [{ value: 'urn:strong', method: 'password+totp' }];
      const discovery = async () => (await idp.api('GET', '/.well-known/openid-configuration')).body;
      for (const settings of [
        { session: 'on', acr: [] },
        { session: 'on', acr },
      ]) {
        await idp.configure({ users, settings: { login: settings }, clients });
        expect(await discovery()).to.not.have.property('acr_values_supported');
      }
      await idp.configure({ users, settings: { login }, clients });
    });

    verifies(['SSO-35', 'SSO-36', 'SSO-37', 'SSO-46'], 'ask for consent once, and again for a new scope', async () => {
      await idp.configure({ users, settings: { login: { ...login, consent: 'first' } }, clients });
      const browser = newBrowser(idp);
      const page = await logIn(browser, alice, { scope: 'openid' });
      expect(page.text).to.contain('openid').and.to.contain('web');
      expect(errorOf(await silent(browser))).to.equal('consent_required');
      const events = await idp.audited(async () => {
        codeOf(await browser.submit(page, { consent: 'allow' }));
      });
      const given = events.find(({ event_type }) => event_type === 'consent_given');
      expect(given).to.deep.include({
        username: 'alice',
        client_id: 'web',
        details: { client_id: 'web', scope: 'openid' },
      });
      codeOf(await silent(browser));
      const wider = await browser.get(authorizePath({ scope: 'openid email' }));
      codeOf(await browser.submit(wider, { consent: 'allow' }));
      codeOf(await silent(browser, { scope: 'email' }));
    });

    verifies('SSO-35', 'ask for consent even while off', async () => {
      await idp.configure({ users, settings: { login: { consent: 'always' } }, clients });
      for (const _ of [1, 2]) {
        const browser = newBrowser(idp);
        const page = await browser.submit(await browser.get(authorizePath({ scope: 'openid' })), alice);
        expect(page.status).to.equal(200);
        const { id } = await tokensOf(await browser.submit(page, { consent: 'allow' }));
        expect(id).to.include({ sub: 'alice' }).and.not.to.have.any.keys('sid', 'acr');
        // A direct POST leads to the consent page too.
        const posted = await newBrowser(idp).post(authorizePath({ scope: 'openid' }), alice);
        expect(posted.text).to.contain('Allow');
      }
      const denied = await newBrowser(idp).get(authorizePath());
      expect(denied.forms.flatMap((form) => form.buttons).map(([name]) => name)).to.include('cancel');
    });

    verifies('SSO-02', 'also begin in persona mode and by auto-login', async () => {
      await idp.configure({
        users,
        settings: { login: { session: 'on', mode: 'persona', auto_login: true } },
        clients,
      });
      const browser = newBrowser(idp);
      const hint = { login_hint: 'persona-auto-login:bob' };
      const automatic = await tokensOf(await browser.get(authorizePath({ scope: 'openid', ...hint })));
      expect(automatic.id).to.include({ sub: 'bob', acr: '0' });
      expect((await tokensOf(await silent(browser))).id.sid).to.equal(automatic.id.sid);
      codeOf(await silent(newBrowser(idp), hint));
    });
  });
});

describe('without sessions', () => {
  verifies('SSO-01', 'shows no trace of them', async () => {
    const idp = await startIdp({ world: interactive });
    try {
      const browser = await loggedIn(idp);
      expect(redirectParameters(await browser.get(authorizePath({ prompt: 'none' }))).get('error')).to.equal(
        'login_required',
      );
      const page = await browser.get(
        authorizePath({ scope: 'openid offline_access', max_age: 'x', id_token_hint: 'x' }),
      );
      const { body } = await redeem(idp, codeOf(await browser.submit(page, alice)));
      for (const token of [body.id_token, body.access_token, body.refresh_token]) {
        expect(claimsOf(String(token))).to.not.have.any.keys('sid', 'acr');
      }
      const discovery = (await idp.api('GET', '/.well-known/openid-configuration')).body;
      expect(discovery).to.not.have.any.keys('acr_values_supported', 'backchannel_logout_supported');
      expect(discovery.claims_supported).to.not.include.members(['sid']);
      const events = (await idp.audit()).map(({ event_type }) => event_type);
      expect(events).to.not.include('session_started');
      for (const value of browser.cookies.values()) {
        const content = JSON.parse(Buffer.from(value.split('.')[0] ?? '', 'base64url').toString());
        expect(content).to.have.all.keys('browser', 'login');
      }
    } finally {
      await idp.stop();
    }
  });
});
