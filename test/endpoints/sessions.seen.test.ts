// Listing and ending sessions and consents: by REST, on the page, and the effect on that browser's next request.
import { expect } from 'chai';
import { authorizePath, codeOf, loggedIn, newBrowser, redeem } from '#test/support/authorization-flow.ts';
import { type BrowserClient, redirectParameters } from '#test/support/browser-client.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { interactive } from '#test/support/worlds.ts';

const alice = { username: 'alice', password: 'wonderland' };
const bob = { username: 'bob', password: 'builder' };
const users = { alice: { password: 'wonderland' }, bob: { password: 'builder' } };
const settings = { login: { session: 'on', consent: 'first' } };

describe('sessions and consents for their administrator', () => {
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({ world: interactive, users, settings });
  });
  beforeEach(async () => {
    await idp.api('DELETE', '/api/sessions');
    await idp.api('DELETE', '/api/consents');
  });
  after(() => idp.stop());

  async function withSession(...people: (typeof alice)[]): Promise<BrowserClient> {
    const browser = newBrowser(idp);
    for (const who of people) {
      const page = await browser.submit(await browser.get(authorizePath({ prompt: 'login', scope: 'openid' })), who);
      const done = page.status === 302 ? page : await browser.submit(page, { consent: 'allow' });
      await redeem(idp, codeOf(done));
    }
    return browser;
  }
  async function silently(browser: BrowserClient, username: string): Promise<string | null> {
    const path = authorizePath({ prompt: 'none', scope: 'openid', login_hint: username });
    return redirectParameters(await browser.get(path)).get('error');
  }
  const list = async (query = '') => (await idp.api('GET', `/api/sessions${query}`)).body;

  verifies(
    ['SSO-41', 'SSO-28'],
    'lists sessions with their participants, and nothing that could forge a cookie',
    async () => {
      const browser = await withSession(alice, bob);
      await loggedIn(idp);
      const { sessions, count } = await list();
      expect([count, sessions.length]).to.deep.equal([3, 3]);
      const [newest, ofBob, first] = sessions;
      expect([newest.username, ofBob.username, first.username]).to.deep.equal(['alice', 'bob', 'alice']);
      expect([newest.clients, first.clients, first.service_providers]).to.deep.equal([[], ['web'], []]);
      expect(first).to.include({ method: 'password', acr: 'https://refeds.org/profile/sfa' });
      expect(first.browser).to.equal(ofBob.browser).and.to.not.equal(newest.browser);
      expect(Date.parse(first.expires_at) - Date.parse(first.last_used_at)).to.equal(3_600_000);
      for (const value of browser.cookies.values()) {
        const content = JSON.parse(Buffer.from(value.split('.')[0] ?? '', 'base64url').toString());
        expect(content).to.have.all.keys('browser', 'sessions');
        for (const secret of [content.browser, content.sessions]) {
          expect(JSON.stringify(sessions)).to.not.contain(secret);
        }
      }
      expect((await list('?username=bob')).count).to.equal(1);
      expect((await list('?client_id=web')).count).to.equal(2);
      expect((await list('?client_id=web&username=alice')).count).to.equal(1);
    },
  );

  verifies(
    ['SSO-42', 'SSO-46'],
    'ends sessions one by one or by a filter, with effect on the next request',
    async () => {
      const browser = await withSession(alice, bob);
      expect(await silently(browser, 'alice')).to.equal(null);
      const [{ sid }] = (await list('?username=alice')).sessions;
      const events = await idp.audited(async () => {
        const ended = await idp.api('DELETE', `/api/sessions/${sid}`);
        expect([ended.status, ended.body]).to.deep.equal([200, { ended: sid, notified: [] }]);
        const again = await idp.api('DELETE', `/api/sessions/${sid}`);
        expect([again.status, again.body.kind]).to.deep.equal([404, 'not_found']);
        expect(await silently(browser, 'alice')).to.equal('login_required');
        expect(await silently(browser, 'bob')).to.equal(null);
        expect((await idp.api('DELETE', '/api/sessions?username=bob')).body).to.deep.equal({ ended: 1, notified: [] });
        expect(await silently(browser, 'bob')).to.equal('login_required');
      });
      const ended = events.filter(({ event_type }) => event_type === 'session_ended');
      expect(ended.map(({ username, details }) => [username, details.reason])).to.deep.equal([
        ['alice', 'api'],
        ['bob', 'api'],
      ]);
      const logout = await idp.audited(async () => {
        const browser = await loggedIn(idp);
        await browser.submit(await browser.get('/logout'), { confirm: 'yes' });
      });
      const [byLogout] = logout.filter(({ event_type }) => event_type === 'session_ended');
      expect(byLogout?.details.reason).to.equal('logout');
    },
  );

  verifies(['SSO-43', 'SSO-46'], 'lists and deletes consents', async () => {
    await withSession(alice, bob);
    const { body } = await idp.api('GET', '/api/consents');
    expect(body.count).to.equal(2);
    expect(body.consents[0])
      .to.include({ username: 'bob', client_id: 'web', scope: 'openid' })
      .and.to.have.property('given_at');
    const events = await idp.audited(async () => {
      const forgotten = await idp.api('DELETE', '/api/consents?username=bob&client_id=web');
      expect(forgotten.body).to.deep.equal({ deleted: 1 });
    });
    const [deleted] = events.filter(({ event_type }) => event_type === 'consent_deleted');
    expect(deleted).to.deep.include({ username: 'bob', client_id: 'web' });
    expect((await idp.api('GET', '/api/consents?username=bob')).body.count).to.equal(0);
    expect((await idp.api('DELETE', '/api/consents')).body).to.deep.equal({ deleted: 1 });
  });

  verifies(['SSO-42', 'SSO-43'], 'deletes nothing by a misspelt or empty filter', async () => {
    await withSession(alice, bob);
    for (const path of ['/api/sessions', '/api/consents']) {
      for (const [query, says] of [
        ['?user=alice', 'Unknown query parameter "user". Known: username, client_id.'],
        ['?username=', 'username has no value'],
        ['?username=alice&client_id=', 'client_id has no value'],
      ] as const) {
        const { status, body } = await idp.api('DELETE', path + query);
        expect([status, body.kind], path + query).to.deep.equal([400, 'invalid']);
        expect(body.error).to.contain(says);
      }
      expect((await idp.api('GET', path)).body.count, path).to.equal(2);
    }
  });

  verifies('SSO-45', 'lists, ends and deletes on the page without any script', async () => {
    const browser = await withSession(alice);
    const page = await newBrowser(idp).get('/sessions');
    expect(page.text).to.contain('alice').and.to.contain('web').and.to.contain('openid');
    const [{ sid, acr }] = (await list()).sessions;
    expect(page.text).to.contain(`acr ${acr}`);
    const done = await newBrowser(idp).submit(page, { sid });
    expect(done.location).to.match(/^\/sessions\?notice=/);
    expect(await silently(browser, 'alice')).to.equal('login_required');
    await newBrowser(idp).submit(page, { username: 'alice', client_id: 'web' });
    expect((await idp.api('GET', '/api/consents')).body.count).to.equal(0);
    expect((await newBrowser(idp).get('/sessions')).text).to.contain('No sessions');
  });

  verifies(['SSO-07', 'SSO-08'], 'invalidates an unused code of a session when that ends', async () => {
    const unredeemed = async (who: typeof alice) => {
      const browser = await withSession(who);
      return { browser, code: codeOf(await browser.get(authorizePath({ scope: 'openid' }))) };
    };
    const ends: [string, (browser: BrowserClient) => Promise<unknown>][] = [
      ['DELETE', async () => idp.api('DELETE', '/api/sessions?username=alice')],
      ['password', async () => idp.configure({ users: { ...users, alice: { password: 'changed' } }, settings })],
      ['logout', async (browser) => browser.submit(await browser.get('/logout'), { confirm: 'yes' })],
    ];
    for (const [door, end] of ends) {
      const { browser, code } = await unredeemed(alice);
      await end(browser);
      expect((await list('?username=alice')).count, door).to.equal(0);
      const events = await idp.audited(async () => {
        const { status, body } = await redeem(idp, code);
        expect([status, body.error], door).to.deep.equal([400, 'invalid_grant']);
        expect(body.error_description).to.match(/^The session in which 'code' was issued has ended/);
      });
      expect(events.map(({ details }) => details.refusal)).to.deep.equal(['code_session_over']);
      await idp.configure({ users, settings });
    }
    // Sessions of other users do not affect it, nor does the end of a session while sessions are off.
    const { code } = await unredeemed(alice);
    await (await withSession(bob)).get('/ui/logout');
    expect((await redeem(idp, code)).status).to.equal(200);
    const late = await unredeemed(alice);
    await idp.api('DELETE', '/api/sessions');
    await idp.configure({ users, settings: {} });
    expect((await redeem(idp, late.code)).status).to.equal(200);
    await idp.configure({ users, settings });
  });

  verifies('SSO-08', 'ends a session as soon as its user is deleted, however that happened', async () => {
    const made = { username: 'zoe', password: 'z' };
    await idp.api('POST', '/api/runtime/users', made);
    const browser = await withSession(made);
    await idp.api('DELETE', '/api/runtime/users/zoe');
    expect((await list('?username=zoe')).count).to.equal(0);
    await idp.api('POST', '/api/runtime/users', made);
    expect(await silently(browser, 'zoe')).to.equal('login_required');
    await withSession(made);
    await idp.api('DELETE', '/api/runtime');
    expect((await list('?username=zoe')).count).to.equal(0);
    await withSession(alice);
    await idp.configure({ users: { bob: users.bob }, settings });
    await idp.api('POST', '/api/config/reload');
    expect((await list('?username=alice')).count).to.equal(0);
    await idp.configure({ users, settings });
  });
});
