// Objects of a sandbox that are invalid in any other namespace.
import { expect } from 'chai';
import { authorizePath, newBrowser, totpAt } from '#test/support/authorization-flow.ts';
import { web } from '#test/support/credentials.ts';
import { claimsOf } from '#test/support/http.ts';
import { attributeQuery, enveloped } from '#test/support/saml/attribute-query.ts';
import {
  authnRequest,
  delivered,
  nameIdIn,
  nameIdPolicy,
  redirectQuery,
  rootOf,
} from '#test/support/saml/service-provider.ts';
import { makeSandbox, type NamespaceUnderTest, namespaceAt } from '#test/support/sandboxes.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { callback, demoSettings, demoUsers, totpSecret } from '#test/support/worlds.ts';

const settings = {
  ...demoSettings,
  oauth: { ...demoSettings.oauth, dynamic_registration: { enabled: true, max_clients: 2 } },
  session: { secret_key: 'one-secret-for-every-cookie-of-this-stack' },
  login: { totp: true },
};
const users = { users: { ...demoUsers.users, carol: { password: 'cabbage', totp_secret: totpSecret } } };
const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';
const persistent = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent';

describe('what belongs to one sandbox', function () {
  this.timeout(60_000);
  let idp: RunningIdp;
  let home: NamespaceUnderTest;
  before(async () => {
    idp = await startIdp({ command: 'instance', settings, users });
    home = namespaceAt(idp, '');
  });
  after(() => idp.stop());
  afterEach(() => idp.api('DELETE', '/api/sandboxes'));

  /** Runs the check with each of three namespaces as the issuing one. */
  async function each(check: (issuing: NamespaceUnderTest, others: readonly NamespaceUnderTest[]) => Promise<void>) {
    const all = [home, await makeSandbox(idp), await makeSandbox(idp)];
    for (const issuing of all)
      await check(
        issuing,
        all.filter((other) => other !== issuing),
      );
  }

  verifies('SBX-26', 'includes its runtime objects, next to the shared declared ones', async () => {
    const box = await makeSandbox(idp);
    expect((await box.get('/api/users/alice')).status).to.equal(200);
    expect((await box.post('/token', { grant_type: 'client_credentials' })).status).to.equal(200);
    const declared = await box.api('POST', '/api/runtime/users', { username: 'alice', password: 'p' });
    expect([declared.status, declared.body.kind]).to.deep.equal([409, 'declared']);
    await each(async (issuing, others) => {
      const username = `zoe${issuing.prefix.length}`;
      for (const one of [issuing, ...others]) {
        const made = await one.api('POST', '/api/runtime/users', { username, password: one.prefix || 'home' });
        expect(made.status).to.be.oneOf([201, 409]);
      }
      const form = { grant_type: 'password', username, password: issuing.prefix || 'home' };
      expect((await issuing.post('/token', form)).status).to.equal(200);
      for (const other of others) expect((await other.post('/token', form)).body.error).to.equal('invalid_grant');
    });
    await home.api('DELETE', '/api/runtime');
  });

  verifies('SBX-27', 'includes its codes, devices, pending logins, refresh and registration tokens', async () => {
    await each(async (issuing, others) => {
      const code = await issuing.code();
      const device = (await issuing.post('/device_authorization', {})).body;
      const { refresh_token = '' } = await issuing.tokens();
      const registered = (await issuing.api('POST', '/register', { redirect_uris: [callback] })).body;
      const bearer = { Authorization: `Bearer ${registered.registration_access_token}` };
      const browser = newBrowser(idp);
      const form = await browser.get(issuing.prefix + authorizePath());
      const transaction = Object.fromEntries(form.forms[0]?.fields ?? []);
      const login = { ...transaction, username: 'carol', password: 'cabbage' };
      const secondStep = await browser.post(`${issuing.prefix}/authorize`, login);
      const factor = Object.fromEntries(secondStep.forms[0]?.fields ?? []);
      for (const other of others) {
        expect((await other.redeem(code)).body.error).to.equal('invalid_grant');
        const poll = await other.post('/token', { grant_type: deviceGrant, device_code: device.device_code });
        expect(poll.body.error).to.equal('invalid_grant');
        const entered = await (await other.login()).post(`${other.prefix}/device`, { user_code: device.user_code });
        expect(entered.status).to.not.equal(302);
        expect(entered.text).to.match(/code/i).and.to.not.contain('connected');
        const refreshed = await other.post('/token', { grant_type: 'refresh_token', refresh_token });
        expect(refreshed.body.error).to.equal('invalid_grant');
        const managed = await other.api('GET', `/register/${registered.client_id}`, undefined, bearer);
        expect(managed.status).to.equal(401);
        const stray = await browser.post(`${other.prefix}/authorize`, login);
        expect(stray.location ?? '').to.not.contain('code=');
        const completed = await browser.post(`${other.prefix}/authorize`, { ...factor, totp_code: totpAt(Date.now()) });
        expect(completed.location ?? '').to.not.contain('code=');
      }
      // The attempts elsewhere used up nothing.
      expect((await issuing.redeem(code)).status).to.equal(200);
      expect((await issuing.post('/token', { grant_type: 'refresh_token', refresh_token })).status).to.equal(200);
      expect((await issuing.api('DELETE', `/register/${registered.client_id}`, undefined, bearer)).status).to.equal(
        204,
      );
    });
  });

  verifies('SBX-28', 'includes its access tokens, signed with any key', async () => {
    await each(async (issuing, others) => {
      const { access_token = '', refresh_token = '' } = await issuing.tokens();
      for (const other of others) {
        expect(await other.userinfo(access_token)).to.equal(401);
        for (const token of [access_token, refresh_token]) {
          expect((await other.post('/introspect', { token })).body).to.deep.equal({ active: false });
          expect((await other.post('/revoke', { token })).status).to.equal(200);
        }
      }
      expect(await issuing.userinfo(access_token)).to.equal(200);
      expect((await issuing.post('/introspect', { token: access_token })).body.active).to.equal(true);
      expect((await issuing.post('/token', { grant_type: 'refresh_token', refresh_token })).status).to.equal(200);
      const shown = await others[0]?.api('GET', '/userinfo', undefined, { Authorization: `Bearer ${access_token}` });
      expect(shown?.body.error).to.equal('invalid_token');
      expect((await issuing.post('/revoke', { token: access_token })).status).to.equal(200);
      expect(await issuing.userinfo(access_token)).to.equal(401);
    });
  });

  verifies('SBX-28', 'includes the hints at its logout', async () => {
    const strict = { settings: { security_profile: 'oauth21' } };
    const [box, other] = [await makeSandbox(idp, strict), await makeSandbox(idp, strict)];
    const client = { client_id: 'leaving', client_secret: 'secret-of-it', redirect_uris: [callback] };
    for (const namespace of [box, other]) {
      await namespace.api('POST', '/api/runtime/clients', { ...client, post_logout_redirect_uris: [callback] });
    }
    const asked = { client_id: 'leaving', scope: 'openid' };
    const { id_token } = (await box.api('POST', '/api/users/alice/token', asked)).body;
    const query = new URLSearchParams({ id_token_hint: id_token, post_logout_redirect_uri: callback });
    const locations = [box, other].map(
      async ({ prefix }) => (await newBrowser(idp).get(`${prefix}/logout?${query}`)).location,
    );
    expect(await Promise.all(locations)).to.deep.equal([callback, null]);
  });

  verifies('SBX-28', 'includes its refresh tokens, which rotate as anywhere', async () => {
    const box = await makeSandbox(idp, { settings: { oauth: { refresh_token_rotation: true } } });
    let { refresh_token } = await box.tokens();
    const first = refresh_token;
    for (let round = 0; round < 3; round += 1) {
      const { status, body } = await box.post('/token', {
        grant_type: 'refresh_token',
        refresh_token: refresh_token ?? '',
      });
      expect(status).to.equal(200);
      refresh_token = body.refresh_token;
    }
    const spent = await box.post('/token', { grant_type: 'refresh_token', refresh_token: first ?? '' });
    expect(spent.body.error).to.equal('invalid_grant');
    const revoked = await box.post('/token', { grant_type: 'refresh_token', refresh_token: refresh_token ?? '' });
    expect(revoked.body.error).to.equal('invalid_grant');
  });

  verifies('SBX-29', 'includes its cookie and its logins, in one browser with others', async () => {
    const [one, other] = [await makeSandbox(idp, { name: 'one' }), await makeSandbox(idp, { name: 'other' })];
    const { port } = new URL(idp.baseUrl);
    const browser = newBrowser(idp);
    const page = await browser.post('/s/one/login', { username: 'alice', password: 'wonderland' });
    const [cookie = ''] = page.headers.getSetCookie();
    expect(cookie).to.match(new RegExp(`^test_idp_session_${port}\\.one=[^;]+; Path=/s/one; HttpOnly; SameSite=Lax$`));
    const names = async () =>
      Promise.all(
        ['/', '/s/one/', '/s/other/'].map(async (path) => (await browser.get(path)).text.includes('Log out')),
      );
    expect(await names()).to.deep.equal([false, true, false]);
    await home.login(browser);
    expect(await names()).to.deep.equal([true, true, false]);
    await browser.get('/s/one/ui/logout');
    expect(await names()).to.deep.equal([true, false, false]);
    // A value under another cookie name is a forgery, even with a configured secret.
    const value = cookie.slice(cookie.indexOf('=') + 1, cookie.indexOf(';'));
    const forged = await idp.api('GET', '/s/other/', undefined, { Cookie: `test_idp_session_${port}.other=${value}` });
    expect(forged.body).to.not.contain('Log out');
    expect([one.prefix, other.prefix]).to.deep.equal(['/s/one', '/s/other']);
  });

  verifies(['SBX-30', 'SBX-14'], 'includes its persistent name identifiers', async () => {
    const identifier = async (namespace: NamespaceUnderTest) => {
      const browser = await namespace.login();
      const query = redirectQuery(authnRequest({ children: nameIdPolicy(persistent) }));
      const page = await browser.get(`${namespace.prefix}/saml/sso?${query}`);
      return nameIdIn(rootOf(delivered(page).xml)).value;
    };
    const statusFor = async (namespace: NamespaceUnderTest, nameId: string) => {
      const query = enveloped(attributeQuery({ nameId: `<a:NameID Format="${persistent}">${nameId}</a:NameID>` }));
      const { body } = await namespace.api('POST', '/saml/attribute-query', query, { 'Content-Type': 'text/xml' });
      return /status:(UnknownPrincipal|Success)/.exec(String(body).replace('status:Requester', ''))?.[1];
    };
    const [box, other] = [await makeSandbox(idp, { name: 'box' }), await makeSandbox(idp)];
    const identifiers = [await identifier(home), await identifier(box), await identifier(other)];
    expect(new Set(identifiers).size).to.equal(3);
    expect(await identifier(box)).to.equal(identifiers[1]);
    expect((await box.api('POST', '/api/keys/rotate')).status).to.equal(200);
    expect(await identifier(box)).to.equal(identifiers[1]);
    const found = await Promise.all([home, box, other].map((namespace) => statusFor(namespace, identifiers[1] ?? '')));
    expect(found).to.deep.equal(['UnknownPrincipal', 'Success', 'UnknownPrincipal']);
    await idp.api('POST', '/api/sandboxes/box/reset');
    expect(await statusFor(box, identifiers[1] ?? '')).to.equal('UnknownPrincipal');
  });

  verifies('SBX-31', 'includes its audit and counters', async () => {
    const [one, other] = [await makeSandbox(idp), await makeSandbox(idp)];
    await home.api('POST', '/api/audit/clear');
    await one.post('/token', { grant_type: 'client_credentials' });
    await one.login();
    const types = async (namespace: NamespaceUnderTest) =>
      (await namespace.get('/api/audit')).body.entries.map(({ event_type }: { event_type: string }) => event_type);
    expect(await types(one)).to.deep.equal(['token_request', 'login']);
    expect([await types(other), await types(home)]).to.deep.equal([[], []]);
    const { total_requests, token_requests, login_attempts } = (await one.get('/api/audit/stats')).body;
    expect([total_requests, token_requests, login_attempts]).to.deep.equal([2, 1, 1]);
    await home.post('/token', { grant_type: 'client_credentials' });
    await one.api('POST', '/api/audit/clear');
    expect([await types(one), await types(home)]).to.deep.equal([[], ['token_request']]);
    for (let round = 0; round < 26; round += 1) {
      await Promise.all(Array.from({ length: 40 }, () => other.post('/token', { grant_type: 'nothing' }, web)));
    }
    expect((await other.get('/api/audit?limit=-1')).body.count).to.equal(1000);
    expect((await other.get('/api/audit/stats')).body.total_requests).to.equal(1040);
  });

  verifies(
    ['TIM-10', 'TIM-12', 'TIM-24'],
    'includes its clock and everything that uses it, until it is reset or created again',
    async () => {
      const [one, other] = [await makeSandbox(idp), await makeSandbox(idp)];
      const moved = { at: '2031-03-04T12:00:00Z', frozen: true };
      const shown = async (place: NamespaceUnderTest) => {
        const { headers, body } = await place.get('/.well-known/openid-configuration');
        expect(body.issuer).to.equal(place.issuer);
        return headers.get('x-test-idp-clock');
      };
      const isMoved = async (place: NamespaceUnderTest) => (await place.get('/api/clock')).body.moved;

      expect((await one.api('PUT', '/api/clock', moved)).body.now).to.equal('2031-03-04T12:00:00.000Z');
      expect(await shown(one)).to.equal('2031-03-04T12:00:00.000Z');
      const { access_token } = await one.tokens();
      expect(claimsOf(String(access_token)).iat).to.equal(Date.UTC(2031, 2, 4, 12) / 1000);
      const fresh = await makeSandbox(idp);
      for (const place of [other, fresh, home]) {
        expect([await isMoved(place), await shown(place)], place.prefix).to.deep.equal([false, null]);
        expect(await place.userinfo((await place.tokens()).access_token), place.prefix).to.equal(200);
      }

      // Moving the default clock does not affect it. Deleting runtime objects does not either.
      await home.api('PUT', '/api/clock', { offset_seconds: -86_400 });
      try {
        expect((await one.api('DELETE', '/api/runtime')).status).to.equal(200);
        expect(await shown(one)).to.equal('2031-03-04T12:00:00.000Z');
        expect(await isMoved(await makeSandbox(idp))).to.equal(false);
      } finally {
        await home.api('DELETE', '/api/clock');
      }

      await home.api('POST', `/api/sandboxes/${one.name}/reset`);
      expect([await isMoved(one), await shown(one)]).to.deep.equal([false, null]);
      await one.api('PUT', '/api/clock', moved);
      await home.api('DELETE', `/api/sandboxes/${one.name}`);
      expect(await isMoved(await makeSandbox(idp, { name: one.name }))).to.equal(false);
    },
  );

  verifies('SBX-32', 'includes its limits', async () => {
    const [one, other] = [await makeSandbox(idp), await makeSandbox(idp)];
    for (const namespace of [one, other, home]) {
      const register = () => namespace.api('POST', '/register', { redirect_uris: [callback] });
      expect([(await register()).status, (await register()).status, (await register()).status]).to.deep.equal([
        201, 201, 429,
      ]);
    }
    await home.api('DELETE', '/api/runtime');
    const limited = await startIdp({
      command: 'instance',
      settings: { ...settings, rate_limit_enabled: true, server: { rate_limit_token_endpoint: '2/hour' } },
    });
    try {
      const box = await makeSandbox(limited);
      for (const namespace of [namespaceAt(limited, ''), box]) {
        const statuses = [];
        for (let count = 0; count < 3; count += 1) {
          statuses.push((await namespace.post('/token', { grant_type: 'client_credentials' })).status);
        }
        expect(statuses).to.deep.equal([200, 200, 429]);
      }
    } finally {
      await limited.stop();
    }
  });
});
