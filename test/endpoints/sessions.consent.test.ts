// Which user's consent allows a code: the account on the page only, and never one that replaced it.
import { expect } from 'chai';
import { authorizePath, challenge, codeOf, newBrowser, redeem } from '#test/support/authorization-flow.ts';
import { type BrowserClient, type Page, redirectParameters } from '#test/support/browser-client.ts';
import { claimsOf } from '#test/support/http.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { call } from '#test/support/token-flows.ts';
import { verifies } from '#test/support/verifies.ts';
import { callback, interactive } from '#test/support/worlds.ts';

const alice = { username: 'alice', password: 'wonderland' };
const bob = { username: 'bob', password: 'builder' };
const users = { alice: { password: 'wonderland' }, bob: { password: 'builder' } };

describe('consent and its account', () => {
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({ world: interactive, users, settings: { login: { session: 'on', consent: 'first' } } });
  });
  after(() => idp.stop());
  afterEach(async () => {
    await idp.api('DELETE', '/api/sessions');
    await idp.api('DELETE', '/api/consents');
  });

  const logIn = async (browser: BrowserClient, who: typeof alice) =>
    browser.submit(await browser.get(authorizePath({ prompt: 'login', scope: 'openid' })), who);
  const buttonsOf = (page: Page) => page.forms.flatMap(({ buttons }) => buttons.map((pair) => pair.join('=')));
  const consentsOf = async () => (await idp.api('GET', '/api/consents')).body.consents as { username: string }[];

  verifies(
    ['SSO-35', 'SSO-36', 'SSO-46'],
    'gives no code for another account if the session of the named one ended meanwhile',
    async () => {
      const browser = newBrowser(idp);
      codeOf(await browser.submit(await logIn(browser, bob), { consent: 'allow' }));
      codeOf(await browser.submit(await logIn(browser, alice), { consent: 'allow' }));
      await idp.api('DELETE', '/api/consents?username=alice');
      const page = await browser.get(authorizePath({ scope: 'openid' }));
      expect(page.text).to.contain('requests access to your account, alice');
      await idp.api('DELETE', '/api/sessions?username=alice');
      const events = await idp.audited(async () => {
        const answered = await browser.submit(page, { consent: 'allow' });
        expect([answered.status, answered.location]).to.deep.equal([200, null]);
        expect(buttonsOf(answered)).to.include('account=bob').and.not.to.include('account=alice');
        const { body } = await redeem(idp, codeOf(await browser.submit(answered, { account: 'bob' })));
        expect(claimsOf(String(body.id_token)).sub).to.equal('bob');
      });
      expect(events.map(({ event_type }) => event_type)).to.not.include('consent_given');
      expect((await consentsOf()).map(({ username }) => username)).to.deep.equal(['bob']);
    },
  );

  verifies('SSO-35', 'leads to the login page in that case if no other account is logged in', async () => {
    const browser = newBrowser(idp);
    const page = await logIn(browser, alice);
    await idp.api('DELETE', '/api/sessions');
    const answered = await browser.submit(page, { consent: 'allow' });
    const asked = await browser.submit(answered, alice);
    expect(await consentsOf()).to.deep.equal([]);
    codeOf(await browser.submit(asked, { consent: 'allow' }));
    expect((await consentsOf()).map(({ username }) => username)).to.deep.equal(['alice']);
  });

  verifies('SSO-27', 'does not replace a chosen account that just ended by the remaining one', async () => {
    const browser = newBrowser(idp);
    codeOf(await browser.submit(await logIn(browser, bob), { consent: 'allow' }));
    codeOf(await browser.submit(await logIn(browser, alice), { consent: 'allow' }));
    const page = await browser.get(
      authorizePath({
        client_id: 'spa',
        code_challenge: challenge,
        code_challenge_method: 'S256',
        scope: 'openid',
      }),
    );
    expect(buttonsOf(page)).to.include.members(['account=alice', 'account=bob']);
    await idp.api('DELETE', '/api/sessions?username=alice');
    const answered = await browser.submit(page, { account: 'alice' });
    expect(buttonsOf(answered)).to.include('account=bob').and.not.to.include('consent=allow');
    const consent = await browser.submit(answered, { account: 'bob' });
    expect(consent.text).to.contain('bob');
    codeOf(await browser.submit(consent, { consent: 'allow' }));
  });

  verifies('SSO-37', 'is stored when the code is issued, and then answers prompt=none', async () => {
    const browser = newBrowser(idp);
    const page = await logIn(browser, alice);
    const silent = () => browser.get(authorizePath({ prompt: 'none', scope: 'openid' }));
    expect(redirectParameters(await silent()).get('error')).to.equal('consent_required');
    codeOf(await browser.submit(page, { consent: 'allow' }));
    codeOf(await silent());
    // The page is used up and stores nothing more.
    await idp.api('DELETE', '/api/consents');
    expect((await browser.submit(page, { consent: 'allow' })).status).to.equal(400);
    expect(await consentsOf()).to.deep.equal([]);
  });

  for (const session of ['off', 'on'] as const) {
    verifies(
      ['SSO-36', 'RUN-14'],
      `is requested again for a user or client created anew by the same name, with sessions ${session}`,
      async () => {
        await idp.configure({ users, settings: { login: { session, consent: 'first' } } });
        const zoe = { username: 'zoe', password: 'zebra' };
        const made = { client_id: 'made', client_secret: 's', redirect_uris: [callback] };
        const anew = async (kind: 'users' | 'clients', entry: object, query = '') =>
          expect((await idp.api('POST', `/api/runtime/${kind}${query}`, entry)).status).to.equal(201);
        /** Whether a login asks for consent. If so, this gives it. */
        const isAsked = async (client_id: string, who = alice) => {
          const browser = newBrowser(idp);
          const page = await browser.submit(await browser.get(authorizePath({ client_id, scope: 'openid' })), who);
          const isOpen = page.location === null;
          codeOf(isOpen ? await browser.submit(page, { consent: 'allow' }) : page);
          // Only the consent remains.
          await idp.api('DELETE', '/api/sessions');
          return isOpen;
        };
        const steps = async (ask: () => Promise<boolean>, changes: readonly (() => Promise<unknown>)[]) => {
          expect([await ask(), await ask()]).to.deep.equal([true, false]);
          for (const [index, change] of changes.entries()) {
            await change();
            expect([await ask(), await ask()], String(index)).to.deep.equal([true, false]);
          }
        };
        await anew('users', zoe);
        await steps(
          () => isAsked('web', zoe),
          [
            async () => [await idp.api('DELETE', '/api/runtime/users/zoe'), await anew('users', zoe)],
            async () => [await idp.api('DELETE', '/api/runtime'), await anew('users', zoe)],
            () => anew('users', zoe, '?replace=true'),
          ],
        );
        await anew('clients', made);
        await steps(
          () => isAsked('made'),
          [
            async () => [await idp.api('DELETE', '/api/runtime/clients/made'), await anew('clients', made)],
            async () => [await idp.api('DELETE', '/api/runtime'), await anew('clients', made)],
            () => anew('clients', made, '?replace=true'),
          ],
        );
        // A declared user keeps the consent for a declared client.
        expect(await isAsked('web')).to.equal(true);
        await idp.api('DELETE', '/api/runtime');
        expect(await isAsked('web')).to.equal(false);
        await idp.configure({ users, settings: { login: { session: 'on', consent: 'first' } } });
      },
    );
  }

  verifies(['DCR-24', 'SSO-36'], 'is deleted for a registered client with its registration', async () => {
    const oauth = { dynamic_registration: { enabled: true } };
    await idp.configure({ users, settings: { login: { session: 'on', consent: 'first' }, oauth } });
    const registered = await call(idp, '/register', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ redirect_uris: [callback], scope: 'openid' }),
    });
    const { client_id, registration_access_token: token } = registered.body as Record<string, string>;
    const browser = newBrowser(idp);
    const page = await browser.submit(await browser.get(authorizePath({ client_id: String(client_id) })), alice);
    codeOf(await browser.submit(page, { consent: 'allow' }));
    expect(await consentsOf()).to.have.length(1);
    const own = { method: 'DELETE', headers: { Authorization: `Bearer ${token}` } };
    expect((await call(idp, `/register/${client_id}`, own)).status).to.equal(204);
    expect(await consentsOf()).to.deep.equal([]);
    await idp.configure({ users, settings: { login: { session: 'on', consent: 'first' } } });
  });

  verifies(['SSO-36', 'SSO-08'], 'is deleted for a declared client when a load no longer declares it', async () => {
    const settings = { login: { session: 'on', consent: 'first' } };
    const clients = ['stays', 'goes'].map((client_id) => ({
      client_id,
      client_secret: 's',
      redirect_uris: [callback],
    }));
    await idp.configure({ users, settings, clients });
    const browser = newBrowser(idp);
    const asked = await browser.submit(await browser.get(authorizePath({ client_id: 'stays' })), alice);
    codeOf(await browser.submit(asked, { consent: 'allow' }));
    codeOf(await browser.submit(await browser.get(authorizePath({ client_id: 'goes' })), { consent: 'allow' }));
    expect(await consentsOf()).to.have.length(2);
    await idp.configure({ users, settings, clients: clients.slice(0, 1) });
    expect(await consentsOf()).to.have.length(1);
    await idp.configure({ users, settings });
  });

  verifies(['SSO-37', 'AUT-30'], 'is not requested for prompt=none with a login without a page', async () => {
    const asked = { prompt: 'none', login_hint: 'persona-auto-login:bob', scope: 'openid' };
    for (const session of ['off', 'on']) {
      const login = { mode: 'persona', auto_login: true, session, consent: 'always' };
      await idp.configure({ users, settings: { login } });
      const answered = await newBrowser(idp).get(authorizePath(asked));
      expect(redirectParameters(answered).get('error'), session).to.equal('consent_required');
    }
    await idp.configure({ users, settings: { login: { session: 'on', consent: 'first' } } });
  });
});
