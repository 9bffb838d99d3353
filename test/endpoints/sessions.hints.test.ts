// Requests that name the session they want twice or ambiguously.
import { expect } from 'chai';
import { authorizePath, codeOf, newBrowser, redeem } from '#test/support/authorization-flow.ts';
import { type BrowserClient, fieldOf, redirectParameters } from '#test/support/browser-client.ts';
import { claimsOf } from '#test/support/http.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { interactive } from '#test/support/worlds.ts';

const shared = 'team@example.org';
const users = {
  alice: { password: 'wonderland', email: shared },
  bob: { password: 'builder', email: shared },
  [shared]: { password: 'team' },
};

describe('hints about sessions', () => {
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({ world: interactive, users, settings: { login: { session: 'on' } } });
  });
  after(() => idp.stop());

  async function withSession(...names: (keyof typeof users)[]): Promise<BrowserClient> {
    const browser = newBrowser(idp);
    for (const username of names) {
      const page = await browser.get(authorizePath({ prompt: 'login' }));
      codeOf(await browser.submit(page, { username, password: String(users[username]?.password) }));
    }
    return browser;
  }
  const errorOf = async (browser: BrowserClient, changes: Record<string, string>, more = '') =>
    redirectParameters(await browser.get(authorizePath({ prompt: 'none', ...changes }) + more)).get('error');

  verifies('SSO-26', 'choose no account by an address that two accounts share', async () => {
    const browser = await withSession('alice', 'bob');
    const page = await browser.get(authorizePath({ login_hint: shared }));
    const names = page.forms.flatMap(({ buttons }) => buttons).filter(([name]) => name === 'account');
    expect(names.map(([, value]) => value).toSorted()).to.deep.equal(['alice', 'bob']);
    expect(await errorOf(browser, { login_hint: shared })).to.equal('account_selection_required');
    // With one account the address is unambiguous, and a name takes precedence over an address.
    expect(await errorOf(await withSession('bob'), { login_hint: shared })).to.equal(null);
    expect(await errorOf(await withSession('alice', 'bob', shared), { login_hint: shared })).to.equal(null);
  });

  verifies(
    'SSO-25',
    'answer from the first of several subjects that is logged in, and from no other account',
    async () => {
      const claims = (...values: string[]) => ({ claims: JSON.stringify({ id_token: { sub: { values } } }) });
      const subjectOf = async (browser: BrowserClient, asked: Record<string, string>) => {
        const page = await browser.get(authorizePath({ prompt: 'none', scope: 'openid', ...asked }));
        return claimsOf(String((await redeem(idp, codeOf(page))).body.id_token)).sub;
      };
      const ofAlice = await withSession('alice');
      expect(await subjectOf(ofAlice, claims('bob', 'alice'))).to.equal('alice');
      expect(await errorOf(ofAlice, claims('bob', shared))).to.equal('login_required');
      expect(await subjectOf(await withSession('alice', 'bob'), claims('bob', 'alice'))).to.equal('bob');
      // If none of them is logged in, the first one is meant.
      expect(fieldOf(await ofAlice.get(authorizePath(claims('bob', shared))), 'username')).to.equal('bob');
      // A hint must name one of them, otherwise the request is contradictory.
      const hinted = await ofAlice.get(authorizePath({ prompt: 'none', scope: 'openid', login_hint: 'alice' }));
      const id_token_hint = String((await redeem(idp, codeOf(hinted))).body.id_token);
      expect(await subjectOf(ofAlice, { ...claims('bob', 'alice'), id_token_hint })).to.equal('alice');
      expect(await errorOf(ofAlice, { ...claims('bob', shared), id_token_hint })).to.equal('login_required');
    },
  );

  verifies('SSO-25', 'let each of several subjects log in, even on an earlier page, but no other user', async () => {
    const request = { claims: JSON.stringify({ id_token: { sub: { values: ['alice', 'bob'] } } }), scope: 'openid' };
    const logIn = async (browser: BrowserClient, username: keyof typeof users) =>
      browser.submit(await browser.get(authorizePath(request)), {
        username,
        password: users[username]?.password ?? '',
      });
    for (const username of ['alice', 'bob'] as const) {
      const browser = newBrowser(idp);
      const code = codeOf(await logIn(browser, username));
      expect(claimsOf(String((await redeem(idp, code)).body.id_token)).sub).to.equal(username);
      expect(await errorOf(browser, request)).to.equal(null);
    }
    const stranger = newBrowser(idp);
    expect(redirectParameters(await logIn(stranger, shared)).get('error')).to.equal('login_required');
    expect(await errorOf(stranger, {})).to.equal('login_required');
    // A request in the address alone is treated in the same way (AUT-37).
    const direct = { username: 'bob', password: users.bob.password };
    codeOf(await newBrowser(idp).post(authorizePath(request), direct));
    // A pending request is answered by any of them that logged in meanwhile.
    const browser = newBrowser(idp);
    await browser.get(authorizePath(request));
    codeOf(await browser.submit(await browser.get(authorizePath({})), { username: 'bob', password: 'builder' }));
    codeOf(await browser.get('/authorize'));
  });

  verifies('SSO-15', 'report a frame of another site that gets no cookie', async () => {
    const browser = await withSession('alice');
    const errorFor = async (who: BrowserClient, site: string, dest: string) => {
      const framed = { 'Sec-Fetch-Site': site, 'Sec-Fetch-Dest': dest, 'Sec-Fetch-Mode': 'navigate' };
      const answer = redirectParameters(await who.get(authorizePath({ prompt: 'none' }), framed));
      return [answer.get('error'), answer.get('error_description')?.includes('SameSite')];
    };
    expect(await errorFor(newBrowser(idp), 'cross-site', 'iframe')).to.deep.equal(['login_required', true]);
    // Without a session on the same site, and with a cookie from another site, the message does not appear.
    expect(await errorFor(newBrowser(idp), 'same-site', 'iframe')).to.deep.equal(['login_required', false]);
    expect(await errorFor(newBrowser(idp), 'cross-site', 'document')).to.deep.equal(['login_required', false]);
    expect(await errorFor(browser, 'cross-site', 'iframe')).to.deep.equal([null, undefined]);
  });

  verifies('SSO-20', 'accept a max_age with any number of digits', async () => {
    const browser = await withSession('alice');
    for (const max_age of ['9007199254740993', '9'.repeat(20), '9'.repeat(400)]) {
      expect(await errorOf(browser, { max_age })).to.equal(null);
      expect(fieldOf(await newBrowser(idp).get(authorizePath({ max_age })), 'username')).to.equal('');
    }
  });

  verifies('AUT-05', 'may appear only once while sessions are on', async () => {
    const browser = await withSession('alice');
    const doubled = ['max_age', 'acr_values', 'id_token_hint', 'login_hint'];
    for (const name of doubled) {
      expect(await errorOf(browser, { [name]: '100' }, `&${name}=200`), name).to.equal('invalid_request');
      // A parameter without a value counts as not sent.
      if (name === 'max_age') expect(await errorOf(browser, { [name]: '100' }, `&${name}=`)).to.equal(null);
    }
    await idp.configure({ users });
    for (const name of doubled) {
      expect((await browser.get(`${authorizePath({ [name]: '100' })}&${name}=200`)).status, name).to.equal(200);
    }
    await idp.configure({ users, settings: { login: { session: 'on' } } });
  });
});
