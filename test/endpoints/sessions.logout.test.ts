// Logout while sessions are on: when the user is asked, what ends, and where the browser goes afterwards.
import { expect } from 'chai';
import { authorizePath, codeOf, newBrowser, redeem } from '#test/support/authorization-flow.ts';
import { type BrowserClient, fieldOf, type Page, redirectParameters } from '#test/support/browser-client.ts';
import { basic } from '#test/support/http.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { callback, interactive } from '#test/support/worlds.ts';

const alice = { username: 'alice', password: 'wonderland' };
const bob = { username: 'bob', password: 'builder' };
const users = { alice: { password: 'wonderland', email: 'alice@example.org' }, bob: { password: 'builder' } };
const bye = 'https://app.example/bye?x=%2f';
const listed = {
  ...{ client_id: 'listed', client_secret: 's', redirect_uris: [callback] },
  post_logout_redirect_uris: [bye],
};

describe('logout of a session', function () {
  this.timeout(60_000);
  let idp: RunningIdp;
  const configure = (logout: object = {}) =>
    idp.configure({ settings: { login: { session: 'on' }, logout }, users, clients: [listed] });
  before(async () => {
    const settings = { login: { session: 'on' } };
    idp = await startIdp({ world: interactive, users, settings, clients: [listed] });
  });
  beforeEach(() => idp.api('DELETE', '/api/sessions'));
  after(() => idp.stop());

  interface LoggedIn {
    readonly browser: BrowserClient;
    /** The ID token of each login, in order. */
    readonly hints: readonly string[];
  }
  async function withSessions(...people: (typeof alice)[]): Promise<LoggedIn> {
    const browser = newBrowser(idp);
    const hints: string[] = [];
    for (const who of people) {
      const path = authorizePath({ prompt: 'login', scope: 'openid' });
      const done = await browser.submit(await browser.get(path), who);
      hints.push(String((await redeem(idp, codeOf(done))).body.id_token));
    }
    return { browser, hints };
  }
  const logout = (browser: BrowserClient, parameters: Readonly<Record<string, string>> = {}): Promise<Page> =>
    browser.get(`/logout?${new URLSearchParams(parameters)}`);
  /** The names of the users who are still logged in. */
  const left = async (): Promise<string[]> =>
    (await idp.api('GET', '/api/sessions')).body.sessions.map(({ username }: { username: string }) => username).sort();

  function expectQuestion(page: Page, ...names: string[]) {
    expect([page.status, page.location], page.text).to.deep.equal([200, null]);
    expect(page.text).to.contain('Log out?');
    for (const name of ['alice', 'bob']) {
      if (names.includes(name)) expect(page.text).to.contain(name);
      else expect(page.text).to.not.contain(name);
    }
    const [form] = page.forms;
    expect(form?.fields.map(([name]) => name)).to.deep.equal(['logout_id']);
    expect(form?.buttons).to.deep.equal([
      ['confirm', 'yes'],
      ['confirm', 'no'],
    ]);
  }
  function expectLoggedOut(page: Page) {
    expect([page.status, page.location], page.text).to.deep.equal([200, null]);
    expect(page.text).to.contain('You are logged out');
  }
  const expectFollowed = (page: Page, address: string) =>
    expect([page.status, page.location], page.text).to.deep.equal([302, address]);

  verifies('LGO-04', 'rejects an invalid hint without ending a session', async () => {
    const { browser, hints } = await withSessions(alice);
    const code = codeOf(await browser.get(authorizePath({ scope: 'openid' })));
    const { access_token } = (await redeem(idp, code)).body;
    for (const id_token_hint of ['x', `${hints[0]}x`, String(access_token)]) {
      const parameters = { id_token_hint, client_id: 'listed', post_logout_redirect_uri: bye };
      for (const page of [await logout(browser, parameters), await browser.post('/logout', parameters)]) {
        expect([page.status, page.location]).to.deep.equal([400, null]);
        expect(page.text).to.contain('id_token_hint');
      }
    }
    expect(await left()).to.deep.equal(['alice']);
  });

  verifies('LGO-05', 'asks on a page without a hint of this browser, and changes nothing before the yes', async () => {
    const { browser } = await withSessions(alice);
    const elsewhere = await withSessions(alice);
    expect(await left()).to.deep.equal(['alice', 'alice']);
    const own = await logout(browser);
    expectQuestion(own, 'alice');
    expectQuestion(await browser.post('/end_session', { state: 's' }), 'alice');
    expectQuestion(await logout(browser, { id_token_hint: elsewhere.hints[0] ?? '' }), 'alice');
    expect(await left()).to.deep.equal(['alice', 'alice']);
    expectLoggedOut(await browser.submit(own, { confirm: 'yes' }));
    expect(await left()).to.deep.equal(['alice']);
    // No user is logged in any more.
    expectLoggedOut(await logout(browser));
    expectLoggedOut(await logout(newBrowser(idp)));
  });

  verifies('LGO-05', 'applies a hint without sid to the session of its user', async () => {
    const form = { grant_type: 'password', ...alice, scope: 'openid' };
    const answer = await fetch(`${idp.baseUrl}/token`, {
      method: 'POST',
      headers: { Authorization: basic('web', 'web-secret') },
      body: new URLSearchParams(form),
    });
    const { id_token } = (await answer.json()) as { id_token: string };
    const { browser } = await withSessions(bob);
    expectQuestion(await logout(browser, { id_token_hint: id_token }), 'bob');
    const both = await withSessions(alice, bob);
    expectLoggedOut(await logout(both.browser, { id_token_hint: id_token }));
    expect(await left()).to.deep.equal(['bob', 'bob']);
  });

  verifies('LGO-06', 'asks for every logout with always, and for none with never', async () => {
    await configure({ confirmation: 'always' });
    const first = await withSessions(alice);
    const page = await logout(first.browser, { id_token_hint: first.hints[0] ?? '', post_logout_redirect_uri: bye });
    expectQuestion(page, 'alice');
    expectFollowed(await first.browser.submit(page, { confirm: 'yes' }), bye);
    await configure({ confirmation: 'never' });
    const second = await withSessions(alice);
    expectFollowed(await logout(second.browser, { client_id: 'listed', post_logout_redirect_uri: bye }), bye);
    const third = await withSessions(alice);
    expectLoggedOut(await logout(third.browser));
    expect(await left()).to.deep.equal([]);
    await configure();
    const { browser, hints } = await withSessions(alice);
    expectLoggedOut(await logout(browser, { id_token_hint: hints[0] ?? '' }));
    expect(await left()).to.deep.equal([]);
  });

  verifies('LGO-07', 'ends nothing and does not redirect on a no', async () => {
    const { browser } = await withSessions(alice);
    const question = await logout(browser, { client_id: 'listed', post_logout_redirect_uri: bye });
    const events = await idp.audited(async () => {
      const page = await browser.submit(question, { confirm: 'no' });
      expect([page.status, page.location]).to.deep.equal([200, null]);
      expect(page.text).to.contain('You are still logged in');
    });
    expect(events.map(({ event_type, status, username }) => [event_type, status, username])).to.deep.equal([
      ['logout_request', 'denied', 'alice'],
    ]);
    expect(await left()).to.deep.equal(['alice']);
    expect(codeOf(await browser.get(authorizePath({ prompt: 'none' })))).to.be.a('string');
  });

  verifies('LGO-08', 'ends only the session of a hint, or the one of a logout_hint, otherwise all', async () => {
    const { browser, hints } = await withSessions(alice, bob);
    expectLoggedOut(await logout(browser, { id_token_hint: hints[1] ?? '' }));
    expect(await left()).to.deep.equal(['alice']);
    expect(codeOf(await browser.get(authorizePath({ prompt: 'none' })))).to.be.a('string');
    await idp.api('DELETE', '/api/sessions');
    for (const name of ['alice', 'alice@example.org', 'sid'] as const) {
      const both = await withSessions(bob, alice);
      const [{ sid }] = (await idp.api('GET', '/api/sessions?username=alice')).body.sessions;
      const page = await logout(both.browser, { logout_hint: name === 'sid' ? sid : name });
      expectQuestion(page, 'alice');
      expectLoggedOut(await both.browser.submit(page, { confirm: 'yes' }));
      expect(await left(), name).to.deep.equal(['bob']);
      await idp.api('DELETE', '/api/sessions');
    }
    const both = await withSessions(alice, bob);
    const page = await logout(both.browser, { logout_hint: '' });
    expectQuestion(page, 'alice', 'bob');
    expectLoggedOut(await both.browser.submit(page, { confirm: 'yes' }));
    expect(await left()).to.deep.equal([]);
  });

  verifies(
    ['LGO-08', 'LGO-06'],
    'ends no other account without asking if the user of the hint is not logged in',
    async () => {
      await configure({ confirmation: 'never' });
      const elsewhere = await withSessions(alice);
      const { browser } = await withSessions(bob);
      expectLoggedOut(await logout(browser, { id_token_hint: elsewhere.hints[0] ?? '' }));
      expect(await left()).to.deep.equal(['alice', 'bob']);
      codeOf(await browser.get(authorizePath({ prompt: 'none' })));
      // The hint of an earlier session applies to the current session of its user.
      await idp.api('DELETE', '/api/sessions?username=alice');
      codeOf(await browser.submit(await browser.get(authorizePath({ prompt: 'login' })), alice));
      expectLoggedOut(await logout(browser, { id_token_hint: elsewhere.hints[0] ?? '' }));
      expect(await left()).to.deep.equal(['bob']);
      await configure();
    },
  );

  verifies('LGO-09', 'redirects with a valid hint, or for a named client after the yes', async () => {
    const to = { post_logout_redirect_uri: bye, state: 'a b' };
    const { browser, hints } = await withSessions(alice);
    const [id_token_hint = ''] = hints;
    // The hint names `web`, which lists no address, so dev follows any.
    expectFollowed(await logout(browser, { ...to, id_token_hint }), `${bye}&state=a%20b`);
    // No user is logged in any more, and the hint is still valid.
    expectFollowed(await logout(browser, { ...to, id_token_hint }), `${bye}&state=a%20b`);
    expectLoggedOut(await logout(browser, { ...to, id_token_hint, client_id: 'listed' }));
    expectLoggedOut(await logout(browser, { ...to, client_id: 'listed' }));
    const agreed = async (parameters: Readonly<Record<string, string>>) => {
      const person = await withSessions(alice);
      const page = await logout(person.browser, { ...to, ...parameters });
      expectQuestion(page, 'alice');
      return person.browser.submit(page, { confirm: 'yes' });
    };
    expectFollowed(await agreed({ client_id: 'listed' }), `${bye}&state=a%20b`);
    for (const parameters of [{}, { client_id: 'web' }, { client_id: 'nobody' }])
      expectLoggedOut(await agreed(parameters));
    expectLoggedOut(await agreed({ client_id: 'listed', post_logout_redirect_uri: 'https://evil.example/' }));
    expect(await left()).to.deep.equal([]);
  });

  verifies(['LGO-09', 'AUD-22'], 'records in the audit why it did not redirect, after the decision', async () => {
    const reason =
      'No redirect to the post_logout_redirect_uri: neither id_token_hint nor client_id names the application.';
    const { browser } = await withSessions(alice);
    const events = await idp.audited(async () => {
      const question = await logout(browser, { post_logout_redirect_uri: bye });
      await browser.submit(question, { confirm: 'yes' });
      await logout(browser, { post_logout_redirect_uri: bye });
    });
    const recorded = events.filter(({ event_type }) => event_type === 'logout_request').map(({ details }) => details);
    expect(recorded).to.deep.equal([
      { has_redirect: true, confirmation: 'asked' },
      { has_redirect: true, reason, confirmation: 'yes' },
      { has_redirect: true, reason },
    ]);
  });

  describe('at the question whether to log out', () => {
    const asked = async () => {
      const { browser } = await withSessions(alice);
      return { browser, answer: { logout_id: fieldOf(await logout(browser), 'logout_id') ?? '', confirm: 'yes' } };
    };
    const expectRejected = async (by: BrowserClient, fields: Record<string, string>, status: number, headers = {}) => {
      const page = await by.post('/logout', fields, headers);
      expect([page.status, page.location]).to.deep.equal([status, null]);
      expect(await left()).to.include('alice');
    };
    const expectAccepted = async (browser: BrowserClient, answer: Record<string, string>) => {
      expect((await browser.post('/logout', { ...answer, confirm: 'no' })).text).to.contain('still logged in');
    };

    verifies('LGO-10', 'rejects the answer of another site', async () => {
      const { browser, answer } = await asked();
      await expectRejected(browser, answer, 403, { 'Sec-Fetch-Site': 'cross-site' });
      await expectRejected(browser, answer, 403, { Origin: 'https://evil.example' });
      await expectAccepted(browser, answer);
    });

    verifies('LGO-10', 'rejects an unknown decision and an unknown id', async () => {
      const { browser, answer } = await asked();
      await expectRejected(browser, { ...answer, confirm: 'perhaps' }, 400);
      await expectRejected(browser, { ...answer, logout_id: 'x' }, 400);
      await expectAccepted(browser, answer);
    });

    verifies('LGO-10', 'rejects the answer of another browser', async () => {
      const { browser, answer } = await asked();
      await expectRejected((await withSessions(bob)).browser, answer, 400);
      expect(await left()).to.deep.equal(['alice', 'bob']);
      await expectAccepted(browser, answer);
    });

    verifies('LGO-10', 'accepts one answer', async () => {
      const { browser, answer } = await asked();
      await expectAccepted(browser, answer);
      await expectRejected(browser, answer, 400);
    });

    verifies('LGO-10', 'rejects an answer after ten minutes', async () => {
      const { browser, answer } = await asked();
      await idp.setClock(600_000);
      await expectRejected(browser, answer, 400);
      await idp.setClock(0);
    });
  });

  verifies('LGO-25', 'leaves no login behind after the redirect', async () => {
    const { browser, hints } = await withSessions(alice);
    const copy = newBrowser(idp);
    for (const [name, value] of browser.cookies) copy.cookies.set(name, value);
    expectFollowed(await logout(browser, { id_token_hint: hints[0] ?? '', post_logout_redirect_uri: bye }), bye);
    for (const one of [browser, copy]) {
      const answer = redirectParameters(await one.get(authorizePath({ prompt: 'none', scope: 'openid' })));
      expect(answer.get('error')).to.equal('login_required');
    }
  });

  it('requests a form of another site again, because it brings no cookie', async () => {
    const { browser, hints } = await withSessions(alice);
    const fields = { id_token_hint: hints[0] ?? '', post_logout_redirect_uri: bye, state: 'ü' };
    const sent = await newBrowser(idp).post('/logout', fields, { 'Sec-Fetch-Site': 'cross-site' });
    expect(sent.status).to.equal(303);
    expectFollowed(await browser.get(sent.location ?? ''), `${bye}&state=%C3%BC`);
    expect(await left()).to.deep.equal([]);
  });

  it('changes nothing while sessions are off', async () => {
    await idp.configure({ settings: { logout: { confirmation: 'always' } }, users, clients: [listed] });
    const browser = newBrowser(idp);
    await browser.post('/login', alice);
    const page = await logout(browser, { id_token_hint: 'x', client_id: 'listed', post_logout_redirect_uri: bye });
    expectLoggedOut(page);
    expectFollowed(await logout(browser, { client_id: 'listed', post_logout_redirect_uri: bye }), bye);
    await configure();
  });
});
