// Claims that a user types on the persona page for one login: who may type them, which are rejected, and where they appear.

import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { authorizePath, codeOf, newBrowser } from '#test/support/authorization-flow.ts';
import { type BrowserClient, type Page, redirectParameters } from '#test/support/browser-client.ts';
import { basic, claimsOf } from '#test/support/http.ts';
import { sentences } from '#test/support/sentences.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { beginDevice, pollDevice, redeemCode, refresh, userinfo } from '#test/support/token-flows.ts';
import { verifies } from '#test/support/verifies.ts';
import { callback, interactive } from '#test/support/worlds.ts';

const plan = 'https://example.com/plan';
const users = {
  alice: { password: 'wonderland', claims: { name: 'Alice Liddell', locale: 'en', [plan]: 'silver', level: 3 } },
  bob: { password: 'builder' },
};
const ofClient = { [plan]: 'none', app: 1 };
const clients = [{ client_id: 'app', client_secret: 's', redirect_uris: [callback], claims: ofClient }];
const typed = { name: 'Al', [plan]: 'gold', once: { deep: [1, null] }, level: null };
const everyScope = 'openid profile email offline_access';
const oauth = {
  scopes_supported: everyScope.split(' '),
  id_token_claims: 'scope',
  response_types: ['code', 'id_token token'],
  response_modes: ['query', 'form_post', 'fragment'],
};

type Tokens = Readonly<Record<string, string>>;

describe('claims of one login', () => {
  let idp: RunningIdp;
  const settings = (login: object = {}) => ({ oauth, login: { mode: 'persona', edit_claims: true, ...login } });
  const configure = (login: object = {}) => idp.configure({ users, clients, settings: settings(login) });
  before(async () => {
    idp = await startIdp({ world: interactive, users, clients, settings: settings() });
  });
  beforeEach(() => configure());
  after(() => idp.stop());

  const asked = (changes: Readonly<Record<string, string>> = {}) => authorizePath({ scope: everyScope, ...changes });
  const choose = async (
    page: Page | Promise<Page>,
    login_claims: object | string,
    browser: BrowserClient,
    username = 'alice',
  ): Promise<Page> => {
    const text = typeof login_claims === 'string' ? login_claims : JSON.stringify(login_claims);
    return browser.submit(await page, { username, login_claims: text });
  };
  const logIn = (login_claims: object | string, browser = newBrowser(idp), changes: Record<string, string> = {}) =>
    choose(browser.get(asked(changes)), login_claims, browser);
  const tokensOf = async (page: Page): Promise<Tokens> => {
    const answer = await redeemCode(idp, codeOf(page));
    expect(answer.status, answer.text).to.equal(200);
    return answer.body as Tokens;
  };
  /** Returns the tested claims from the access token, the ID token and /userinfo. */
  const claimsIn = async (tokens: Tokens) => {
    const { body, status, text } = await userinfo(idp, tokens.access_token);
    expect(status, text).to.equal(200);
    const of = (claims: Readonly<Record<string, unknown>>) => ({
      ...{ name: claims.name, locale: claims.locale, plan: claims[plan], once: claims.once, level: claims.level },
    });
    const [access, id] = [tokens.access_token, tokens.id_token].map((token) => of(claimsOf(token ?? '')));
    return { access, id, userinfo: of(body) };
  };
  /** Null counts as absent, so the user's own level remains. */
  const ofLogin = { name: 'Al', locale: 'en', plan: 'gold', once: typed.once, level: 3 };
  const ofUser = { name: 'Alice Liddell', locale: 'en', plan: 'silver', once: undefined, level: 3 };
  const everywhere = (of: typeof ofLogin | typeof ofUser) => ({
    access: { ...of, name: undefined, locale: undefined },
    id: of,
    userinfo: of,
  });
  const refusalsOf = async (action: () => Promise<unknown>) =>
    (await idp.audited(action))
      .filter(({ event_type }) => event_type === 'login')
      .map(({ status, username, details }) => [status, username, details.refusal]);

  verifies('PCL-17', 'shows the field on every persona page while the setting is on', async () => {
    const pages = async () => {
      const { user_code } = await beginDevice(idp, { scope: 'openid' });
      const paths = ['/login', asked(), '/device', `/device?user_code=${user_code}`];
      const found = await Promise.all(paths.map((path) => newBrowser(idp).get(path)));
      return found.map(({ body }) => body.includes('name="login_claims"'));
    };
    expect(await pages()).to.deep.equal([true, true, true, true]);
    await configure({ edit_claims: false });
    expect(await pages()).to.deep.equal([false, false, false, false]);
    await configure({ mode: 'password' });
    expect(await pages()).to.deep.equal([false, false, false, false]);
  });

  verifies(
    ['PCL-17', 'PCL-02', 'PCL-03', 'PCL-04'],
    'rejects claims that no user may have, and names their place',
    async () => {
      await configure({ session: 'on' });
      const wrong: readonly (readonly [typed: object | string, message: string])[] = [
        ['{', sentences.loginClaimsNotAnObject],
        ['[{"name":"Al"}]', sentences.loginClaimsNotAnObject],
        ['"name"', sentences.loginClaimsNotAnObject],
        [{ iss: 'x' }, 'login_claims.iss must not be in claims'],
        [{ name: 'Al', authorities: ['A'] }, 'login_claims.authorities must not be in claims'],
        [{ req_userinfo_claims: [] }, 'login_claims.req_userinfo_claims must not be in claims'],
        [{ '': 1 }, 'must have a name'],
        [{ birthdate: 'yesterday' }, 'login_claims.birthdate'],
        [{ email_verified: 'yes' }, 'login_claims.email_verified must be true or false'],
        [{ address: { planet: 'Earth' } }, 'login_claims.address.planet is not a field of address'],
        ['{"a":{"__proto__":1}}', 'login_claims.a.__proto__ is a reserved name'],
        ['{"n":9007199254740993}', 'login_claims.n contains a whole number beyond 2^53'],
        [`{"deep":${'['.repeat(101)}${']'.repeat(101)}}`, 'login_claims.deep is nested more than 100 levels'],
        [{ long: 'x'.repeat(16 * 1024) }, 'login_claims is larger than 16 KiB'],
      ];
      const browser = newBrowser(idp);
      let page = await browser.get(asked());
      for (const [text, reason] of wrong) {
        const events = await refusalsOf(async () => {
          page = await choose(page, text, browser);
        });
        expect([page.status, page.location], reason).to.deep.equal([200, null]);
        expect(page.text).to.contain(reason);
        expect(events).to.deep.equal([['failed', 'alice', 'login_claims_refused']]);
      }
      // The typed text is still in the field.
      page = await choose(page, '{"iss": "mine"}', browser);
      expect(page.text).to.contain('{"iss": "mine"}');
      expect(redirectParameters(await browser.get(asked({ prompt: 'none' }))).get('error')).to.equal('login_required');
      expect(await claimsIn(await tokensOf(await choose(page, typed, browser)))).to.deep.equal(everywhere(ofLogin));
    },
  );

  verifies('PCL-17', 'shows /login and /device again for rejected claims, and logs nobody in', async () => {
    const browser = newBrowser(idp);
    const refused = await choose(browser.get('/login'), { sub: 'x' }, browser);
    expect([refused.status, refused.location]).to.deep.equal([200, null]);
    expect(refused.text).to.contain('login_claims.sub').and.to.contain('{"sub":"x"}');
    const [payload = ''] = [...browser.cookies.values()].map((value) => value.split('.')[0]);
    expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).to.have.all.keys('browser');
    const device = await beginDevice(idp, { scope: 'openid' });
    const page = await choose(browser.get(`/device?user_code=${device.user_code}`), { sub: 'x' }, browser);
    expect(page.text).to.contain('login_claims.sub');
    expect((await pollDevice(idp, device.device_code)).body.error).to.equal('authorization_pending');
  });

  const fieldsOfUser = {
    ...{ roles: ['ADMIN'], groups: ['ops'], entitlements: ['E'], tenant: 'acme', identity_class: 'EXTERNAL' },
    ...{ email: 'al@example.org', email_verified: false },
  };

  verifies(['LIN-05', 'LIN-06'], 'replaces fields of the user for this login', async () => {
    for (const session of ['off', 'on']) {
      await configure({ session });
      const tokens = await tokensOf(await logIn({ ...fieldsOfUser, acr: 'urn:gold' }));
      const access = claimsOf(tokens.access_token ?? '');
      const { email, email_verified, ...ofToken } = fieldsOfUser;
      expect(access, session).to.deep.include({ ...ofToken, sub: 'alice' });
      expect(access.authorities, session).to.deep.equal(['ROLE_ADMIN', 'GROUP_OPS', 'IDENTITY_EXTERNAL', 'ENT_E']);
      expect(claimsOf(tokens.id_token ?? ''), session).to.include({ email, email_verified, acr: 'urn:gold' });
      const { body } = await userinfo(idp, tokens.access_token);
      expect(body, session).to.deep.include({ email, email_verified, roles: ['ADMIN'], tenant: 'acme', sub: 'alice' });
      expect(body, session).not.to.have.property('acr');
      const again = (await refresh(idp, tokens.refresh_token ?? '')).body as Tokens;
      expect(claimsOf(again.access_token ?? ''), session).to.deep.include(ofToken);
      expect(claimsOf(again.id_token ?? ''), session).to.include({ acr: 'urn:gold' });
    }
    const usual = claimsOf((await tokensOf(await logIn(''))).access_token ?? '');
    expect(usual).to.deep.include({ roles: ['USER'], tenant: 'default' });
  });

  verifies('LIN-05', 'rejects a field of the user with another type, and the subject', async () => {
    for (const [wrong, sentence] of [
      [{ roles: 'ADMIN' }, 'login_claims.roles must be a list, such as'],
      [{ tenant: 7 }, 'login_claims.tenant must be a string'],
      [{ acr: '' }, 'login_claims.acr must'],
      [{ email: 'no address' }, 'login_claims.email must'],
      [{ sub: 'bob' }, 'login_claims.sub must not be in claims'],
      [{ attributes: {} }, 'login_claims.attributes must not be in claims'],
    ] as const) {
      const page = await logIn(wrong);
      expect([page.status, page.text.includes(sentence)], sentence).to.deep.equal([200, true]);
    }
  });

  verifies('PCL-17', 'keeps the typed text after a search, a missing choice or an unknown name', async () => {
    const login_claims = '{"name": "kept"}';
    const path = asked();
    for (const fields of [{ fill_username: 'ali' }, { username: '' }, { username: 'nobody' }]) {
      const browser = newBrowser(idp);
      const { transaction_id = '' } = Object.fromEntries((await browser.get(path)).forms[0]?.fields ?? []);
      const page = await browser.post('/authorize', { transaction_id, login_claims, ...fields });
      expect(page.status).to.equal(200);
      expect(page.text, JSON.stringify(fields)).to.contain(login_claims);
    }
    const page = await newBrowser(idp).post('/login', { username: 'nobody', login_claims });
    expect([page.status, page.text.includes(login_claims)]).to.deep.equal([200, true]);
  });

  verifies('PCL-17', 'ignores the field in password mode and while the setting is off', async () => {
    const login = { username: 'alice', password: 'wonderland' };
    for (const changed of [{ mode: 'password' }, { edit_claims: false }]) {
      await configure(changed);
      for (const login_claims of ['{', JSON.stringify(typed)]) {
        const page = await newBrowser(idp).post(asked(), { ...login, login_claims });
        expect(await claimsIn(await tokensOf(page))).to.deep.equal(everywhere(ofUser));
      }
    }
  });

  verifies(['PCL-18', 'PCL-14', 'PCL-11'], 'puts them into tokens, UserInfo and refreshes of that login', async () => {
    const before = (await idp.api('GET', '/api/users/alice')).body;
    for (const session of ['off', 'on']) {
      await configure({ session });
      const tokens = await tokensOf(await logIn(typed));
      expect(await claimsIn(tokens)).to.deep.equal(everywhere(ofLogin));
      let latest = tokens;
      for (let round = 0; round < 3; round += 1) {
        const answer = await refresh(idp, latest.refresh_token);
        expect(answer.status, answer.text).to.equal(200);
        latest = answer.body as Tokens;
        expect(await claimsIn(latest)).to.deep.equal(everywhere(ofLogin));
        expect(claimsOf(latest.refresh_token ?? '')).to.not.have.any.keys('name', plan, 'once', 'login_claims');
      }
      // They appear for no other user, and not for the same user's other logins.
      for (const nothing of ['', '  ', '{}']) {
        expect(await claimsIn(await tokensOf(await logIn(nothing)))).to.deep.equal(everywhere(ofUser));
      }
    }
    expect((await idp.api('GET', '/api/users/alice')).body).to.deep.equal(before);
  });

  verifies(['PCL-18', 'PCL-14'], 'prefers a claim of the login over one of the client', async () => {
    const browser = newBrowser(idp);
    const page = await logIn({ [plan]: 'gold' }, browser, { client_id: 'app', scope: 'openid' });
    const answer = await redeemCode(idp, codeOf(page), {}, { Authorization: basic('app', 's') });
    expect(claimsOf(String(answer.body.access_token))).to.include({ [plan]: 'gold', app: 1 });
  });

  verifies('PCL-18', 'keeps them across the consent page', async () => {
    for (const session of ['off', 'on']) {
      await configure({ session, consent: 'always' });
      const browser = newBrowser(idp);
      const page = await logIn(typed, browser);
      const allowed = await browser.submit(page, { consent: 'allow' });
      expect(await claimsIn(await tokensOf(allowed))).to.deep.equal(everywhere(ofLogin));
    }
  });

  verifies('PCL-18', 'reuses them for the session they were typed for, until the user logs in again', async () => {
    await configure({ session: 'on' });
    const browser = newBrowser(idp);
    const tokens = await tokensOf(await logIn(typed, browser));
    const answered = await browser.get(asked({ prompt: 'none' }));
    expect(await claimsIn(await tokensOf(answered))).to.deep.equal(everywhere(ofLogin));
    expect(await claimsIn(await tokensOf(await logIn('{}')))).to.deep.equal(everywhere(ofUser));
    // The setting matters when claims are typed, not when tokens carry them.
    await configure({ session: 'on', edit_claims: false });
    expect(await claimsIn(await tokensOf(await browser.get(asked())))).to.deep.equal(everywhere(ofLogin));
    await configure({ session: 'on' });
    const again = await logIn('', browser, { prompt: 'login' });
    expect(await claimsIn(await tokensOf(again))).to.deep.equal(everywhere(ofUser));
    expect(await claimsIn(await tokensOf(await browser.get(asked())))).to.deep.equal(everywhere(ofUser));
    // Tokens carry the claims of their login, even after the session changed.
    expect(await claimsIn(tokens)).to.deep.equal(everywhere(ofLogin));
    expect(await claimsIn((await refresh(idp, tokens.refresh_token)).body as Tokens)).to.deep.equal(
      everywhere(ofLogin),
    );
  });

  verifies('PCL-18', 'keeps them separate for the accounts of one browser', async () => {
    await configure({ session: 'on' });
    const browser = newBrowser(idp);
    await logIn(typed, browser);
    await choose(browser.get(asked({ prompt: 'login' })), { [plan]: 'bronze' }, browser, 'bob');
    for (const [login_hint, expected] of [
      ['alice', 'gold'],
      ['bob', 'bronze'],
    ] as const) {
      const tokens = await tokensOf(await browser.get(asked({ login_hint })));
      expect(claimsOf(tokens.access_token ?? '')).to.include({ sub: login_hint, [plan]: expected });
    }
  });

  verifies('PCL-18', 'applies them to tokens for a device', async () => {
    const device = await beginDevice(idp, { scope: everyScope });
    const browser = newBrowser(idp);
    await choose(browser.get(`/device?user_code=${device.user_code}`), typed, browser);
    const tokens = (await pollDevice(idp, device.device_code)).body as Tokens;
    expect(await claimsIn(tokens)).to.deep.equal(everywhere(ofLogin));
    expect(await claimsIn((await refresh(idp, tokens.refresh_token)).body as Tokens)).to.deep.equal(
      everywhere(ofLogin),
    );
  });

  verifies('PCL-18', 'applies them to the implicit flow', async () => {
    const page = await logIn(typed, newBrowser(idp), { response_type: 'id_token token', nonce: 'n' });
    const fragment = new URLSearchParams(new URL(page.location ?? '').hash.slice(1));
    expect(await claimsIn(Object.fromEntries(fragment))).to.deep.equal(everywhere(ofLogin));
  });

  verifies('PCL-18', 'rejects tokens whose typed claims are no longer in the store', async () => {
    const [tokens, plain] = [await tokensOf(await logIn(typed)), await tokensOf(await logIn(''))];
    const database = new Database(join(idp.root, 'state', 'runtime.db'));
    try {
      expect(database.prepare('DELETE FROM typed_claims').run().changes).to.be.above(0);
    } finally {
      database.close();
    }
    const answer = await userinfo(idp, tokens.access_token);
    expect([answer.status, answer.body.error]).to.deep.equal([401, 'invalid_token']);
    expect(answer.body.error_description).to.contain('typed at the login');
    const refreshed = await refresh(idp, tokens.refresh_token);
    expect([refreshed.status, refreshed.body.error]).to.deep.equal([400, 'invalid_grant']);
    expect(refreshed.body.error_description).to.contain('typed at the login');
    expect(await claimsIn(plain)).to.deep.equal(everywhere(ofUser));
  });
});
