// What a request says about the session that it wants, where it says it twice or not plainly.
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

describe('hints of a request about sessions', () => {
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

  verifies('SSO-26', 'an address that two accounts have chooses neither of them', async () => {
    const browser = await withSession('alice', 'bob');
    const page = await browser.get(authorizePath({ login_hint: shared }));
    const names = page.forms.flatMap(({ buttons }) => buttons).filter(([name]) => name === 'account');
    expect(names.map(([, value]) => value).toSorted()).to.deep.equal(['alice', 'bob']);
    expect(await errorOf(browser, { login_hint: shared })).to.equal('account_selection_required');
    // Alone it is plain, and a name counts for more than an address.
    expect(await errorOf(await withSession('bob'), { login_hint: shared })).to.equal(null);
    expect(await errorOf(await withSession('alice', 'bob', shared), { login_hint: shared })).to.equal(null);
  });

  verifies('SSO-25', 'of several subjects the first that is logged in here answers, and no other one', async () => {
    const claims = (...values: string[]) => ({ claims: JSON.stringify({ id_token: { sub: { values } } }) });
    const subjectOf = async (browser: BrowserClient, asked: Record<string, string>) => {
      const page = await browser.get(authorizePath({ prompt: 'none', scope: 'openid', ...asked }));
      return claimsOf(String((await redeem(idp, codeOf(page))).body.id_token)).sub;
    };
    const ofAlice = await withSession('alice');
    expect(await subjectOf(ofAlice, claims('bob', 'alice'))).to.equal('alice');
    expect(await errorOf(ofAlice, claims('bob', shared))).to.equal('login_required');
    expect(await subjectOf(await withSession('alice', 'bob'), claims('bob', 'alice'))).to.equal('bob');
    // With none of them here the first is meant.
    expect(fieldOf(await ofAlice.get(authorizePath(claims('bob', shared))), 'username')).to.equal('bob');
    // A hint is one of them, or they differ.
    const hinted = await ofAlice.get(authorizePath({ prompt: 'none', scope: 'openid', login_hint: 'alice' }));
    const id_token_hint = String((await redeem(idp, codeOf(hinted))).body.id_token);
    expect(await subjectOf(ofAlice, { ...claims('bob', 'alice'), id_token_hint })).to.equal('alice');
    expect(await errorOf(ofAlice, { ...claims('bob', shared), id_token_hint })).to.equal('login_required');
  });

  verifies('SSO-25', 'of several subjects each may log in, at a page of before too, and nobody else', async () => {
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
    // A request in the address alone is judged alike (AUT-37).
    const direct = { username: 'bob', password: users.bob.password };
    codeOf(await newBrowser(idp).post(authorizePath(request), direct));
    // Whoever of them has logged in meanwhile answers a request that was waiting.
    const browser = newBrowser(idp);
    await browser.get(authorizePath(request));
    codeOf(await browser.submit(await browser.get(authorizePath({})), { username: 'bob', password: 'builder' }));
    codeOf(await browser.get('/authorize'));
  });

  verifies('SSO-15', 'a frame of another site, which gets no cookie, hears of it', async () => {
    const browser = await withSession('alice');
    const saidTo = async (who: BrowserClient, site: string, dest: string) => {
      const framed = { 'Sec-Fetch-Site': site, 'Sec-Fetch-Dest': dest, 'Sec-Fetch-Mode': 'navigate' };
      const answer = redirectParameters(await who.get(authorizePath({ prompt: 'none' }), framed));
      return [answer.get('error'), answer.get('error_description')?.includes('SameSite')];
    };
    expect(await saidTo(newBrowser(idp), 'cross-site', 'iframe')).to.deep.equal(['login_required', true]);
    // Where there is just no session, and where a cookie comes along after all.
    expect(await saidTo(newBrowser(idp), 'same-site', 'iframe')).to.deep.equal(['login_required', false]);
    expect(await saidTo(newBrowser(idp), 'cross-site', 'document')).to.deep.equal(['login_required', false]);
    expect(await saidTo(browser, 'cross-site', 'iframe')).to.deep.equal([null, undefined]);
  });

  verifies('SSO-20', 'a max_age of any number of digits is one', async () => {
    const browser = await withSession('alice');
    for (const max_age of ['9007199254740993', '9'.repeat(20), '9'.repeat(400)]) {
      expect(await errorOf(browser, { max_age })).to.equal(null);
      expect(fieldOf(await newBrowser(idp).get(authorizePath({ max_age })), 'username')).to.equal('');
    }
  });

  verifies('AUT-05', 'what asks about a session is sent once, while it counts', async () => {
    const browser = await withSession('alice');
    const doubled = ['max_age', 'acr_values', 'id_token_hint', 'login_hint'];
    for (const name of doubled) {
      expect(await errorOf(browser, { [name]: '100' }, `&${name}=200`), name).to.equal('invalid_request');
      // Without a value it was not sent.
      if (name === 'max_age') expect(await errorOf(browser, { [name]: '100' }, `&${name}=`)).to.equal(null);
    }
    await idp.configure({ users });
    for (const name of doubled) {
      expect((await browser.get(`${authorizePath({ [name]: '100' })}&${name}=200`)).status, name).to.equal(200);
    }
    await idp.configure({ users, settings: { login: { session: 'on' } } });
  });
});
