// Sessions belong to the store. They work on every login page, at every front end and in both protocols, and survive the
// processes that created them. Two namespaces of one store share no session.
import { expect } from 'chai';
import { authorizePath, codeOf } from '#test/support/authorization-flow.ts';
import { BrowserClient, fieldOf, type Page, redirectParameters } from '#test/support/browser-client.ts';
import { authnRequest, delivered, redirectQuery } from '#test/support/saml/service-provider.ts';
import { makeSandbox } from '#test/support/sandboxes.ts';
import { killWorker, until, withOnly } from '#test/support/stack.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { demoSettings, demoUsers } from '#test/support/worlds.ts';

const alice = { username: 'alice', password: 'wonderland' };
const bob = { username: 'bob', password: 'builder' };
const settings = {
  ...demoSettings,
  require_ui_login: true,
  login: { session: 'on' },
  runtime: { store: 'sqlite', path: '../state/runtime.db' },
};
const close = { Connection: 'close' };
/** A kept-alive connection would lead to the first front end, which may be stopped. */
const newBrowser = ({ baseUrl }: RunningIdp) => new BrowserClient(baseUrl, close);

/** Returns the browser at another stack, as if both had one public address. The cookie name contains the port. */
function sameBrowserAt({ baseUrl }: RunningIdp, browser: BrowserClient, before: RunningIdp): BrowserClient {
  const [port, formerPort] = [new URL(baseUrl).port, new URL(before.baseUrl).port];
  const same = new BrowserClient(baseUrl, close);
  for (const [name, value] of browser.cookies) same.cookies.set(name.replace(formerPort, port), value);
  return same;
}

describe('sessions of a store', () => {
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({ settings, users: demoUsers, args: ['--oidc-workers', '2'] });
  });
  after(() => idp.stop());

  const silent = (browser: BrowserClient, prefix = '') =>
    browser.get(prefix + authorizePath({ prompt: 'none', scope: 'openid' }));
  const errorOf = (page: Page) => redirectParameters(page).get('error');
  const throughAuthorize = async (browser: BrowserClient, prefix = '', who = alice) =>
    codeOf(await browser.submit(await browser.get(prefix + authorizePath()), who));
  const saml = (browser: BrowserClient) => browser.get(`/saml/sso?${redirectQuery(authnRequest(), 'r')}`);

  verifies('SSO-06', 'work at /authorize, /login, /saml/sso and in the web UI, wherever they began', async () => {
    for (const [where, logIn] of Object.entries({
      authorize: throughAuthorize,
      login: (browser: BrowserClient) => browser.post('/login', alice),
      saml: async (browser: BrowserClient) => browser.submit(await saml(browser), alice),
    })) {
      const browser = newBrowser(idp);
      expect((await browser.get('/')).location, where).to.contain('/login');
      await logIn(browser);
      codeOf(await silent(browser));
      const asserted = delivered(await saml(browser));
      expect(asserted.status, where).to.deep.equal(['Success']);
      expect(asserted.root.textContent, where).to.contain('alice');
      const shown = await browser.get('/');
      expect([shown.status, shown.text.includes('alice')], where).to.deep.equal([200, true]);
    }
  });

  verifies(['SSO-06', 'SSO-07'], 'work at every front end, and at none after they ended at another', async () => {
    const browser = newBrowser(idp);
    await withOnly(idp, 0, () => browser.post('/login', alice));
    for (const turn of [0, 1]) codeOf(await withOnly(idp, turn, () => silent(browser)));
    const copy = newBrowser(idp);
    for (const [name, value] of browser.cookies) copy.cookies.set(name, value);
    await withOnly(idp, 1, async () => browser.submit(await browser.get('/logout'), { confirm: 'yes' }));
    for (const turn of [0, 1]) {
      expect(errorOf(await withOnly(idp, turn, () => silent(copy)))).to.equal('login_required');
    }
  });

  verifies('SSO-06', 'survive killed workers of both protocols', async () => {
    const browser = newBrowser(idp);
    await throughAuthorize(browser);
    for (const name of ['oidc', 'oidc', 'saml'] as const) await killWorker(idp, name);
    await until('SAML answers again', async () => (await fetch(`${idp.baseUrl}/saml/cert.pem`)).status === 200);
    codeOf(await silent(browser));
    expect(delivered(await saml(browser)).status).to.deep.equal(['Success']);
  });

  verifies('SSO-28', 'never work in another namespace, with any cookies', async () => {
    const box = await makeSandbox(idp);
    for (const [inside, outside] of [
      ['', box.prefix],
      [box.prefix, ''],
    ] as const) {
      const browser = newBrowser(idp);
      await throughAuthorize(browser, inside);
      codeOf(await silent(browser, inside));
      expect(errorOf(await silent(browser, outside)), outside).to.equal('login_required');
      // Under the cookie name of the other namespace, the value is invalid.
      const forger = newBrowser(idp);
      for (const [name, value] of browser.cookies) {
        const [bare = ''] = name.split(`.${box.name}`);
        for (const called of [bare, `${bare}.${box.name}`]) forger.cookies.set(called, value);
      }
      expect(errorOf(await silent(forger, outside)), outside).to.equal('login_required');
      const { sessions } = (await idp.api('GET', `${outside}/api/sessions?client_id=web`)).body;
      const { sessions: own } = (await idp.api('GET', `${inside}/api/sessions`)).body;
      expect(own).to.not.be.empty;
      const sids = new Set(own.map(({ sid }: { sid: string }) => sid));
      expect(sessions.filter(({ sid }: { sid: string }) => sids.has(sid))).to.deep.equal([]);
      // Each namespace has its own session: ending one keeps the other.
      await throughAuthorize(browser, outside, bob);
      await browser.get(`${outside}/logout`);
      codeOf(await silent(browser, inside));
    }
    await idp.api('DELETE', '/api/sandboxes');
  });

  verifies('SSO-09', 'stop at every front end on off, and on only restores those that are still live', async () => {
    const browser = newBrowser(idp);
    await throughAuthorize(browser);
    const gone = newBrowser(idp);
    await throughAuthorize(gone, '', bob);
    const { sessions } = (await idp.api('GET', '/api/sessions?username=bob')).body;
    await idp.configure({ settings: { ...settings, login: {} }, users: demoUsers });
    try {
      for (const _turn of [1, 2, 3, 4]) {
        expect(errorOf(await silent(browser))).to.equal('login_required');
        expect(fieldOf(await browser.get(authorizePath()), 'password')).to.equal('');
      }
      for (const { sid } of sessions) expect((await idp.api('DELETE', `/api/sessions/${sid}`)).status).to.equal(200);
    } finally {
      await idp.configure({ settings, users: demoUsers });
    }
    for (const _turn of [1, 2, 3, 4]) {
      codeOf(await silent(browser));
      expect(errorOf(await silent(gone))).to.equal('login_required');
    }
  });

  verifies('SSO-06', 'survive a restart with sqlite, and work at every stack on the store', async () => {
    const { root } = idp;
    const first = await startIdp({ root, settings, users: demoUsers });
    const browser = newBrowser(first);
    let second: RunningIdp | undefined;
    try {
      await throughAuthorize(browser);
      const beside = sameBrowserAt(idp, browser, first);
      codeOf(await silent(beside));
      await first.stop();
      second = await startIdp({ root, settings, users: demoUsers });
      const later = sameBrowserAt(second, browser, first);
      codeOf(await silent(later));
      expect(redirectParameters(await silent(later)).get('code')).to.not.equal(null);
    } finally {
      await first.stop();
      await second?.stop();
    }
  });
});
