// What modules of the OpenID Foundation's suite do, with the settings that the table of section SSO names for each. Modules
// for further request forms and for clients with keys are in authorize.forms.test.ts and client-keys.test.ts.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { authorizePath, codeOf, newBrowser, redeem } from '#test/support/authorization-flow.ts';
import { type BrowserClient, fieldOf, type Page, redirectParameters } from '#test/support/browser-client.ts';
import { basic, claimsOf } from '#test/support/http.ts';
import { secureClient } from '#test/support/https.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { call, postTo, userinfo } from '#test/support/token-flows.ts';
import { verifies } from '#test/support/verifies.ts';
import { callback, demoSettings, interactive } from '#test/support/worlds.ts';

const alice = { username: 'alice', password: 'wonderland' };
const address = { street_address: '1 Rabbit Hole', locality: 'Oxford', country: 'GB' };
const claims = {
  ...{ name: 'Alice Liddell', given_name: 'Alice', family_name: 'Liddell', middle_name: 'P', nickname: 'Al' },
  ...{ preferred_username: 'alice', profile: 'https://a.example/', picture: 'https://a.example/p' },
  ...{ website: 'https://a.example/w', gender: 'female', birthdate: '1852-05-04', zoneinfo: 'Europe/London' },
  ...{ locale: 'en-GB', updated_at: 1_700_000_000, email_verified: true },
  ...{ phone_number: '+44 1865 1', phone_number_verified: true, address },
};
const users = { alice: { password: 'wonderland', email: 'alice@example.org', claims } };
/** The suite tests both modes that deliver a code. */
const modes = ['query', 'form_post'] as const;
type Mode = (typeof modes)[number];

describe('modules of the conformance suite', function () {
  this.timeout(60_000);
  let idp: RunningIdp;
  let application: Server;
  const logoutTokens: string[] = [];
  let notifiedClient: Record<string, unknown>;
  before(async () => {
    application = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (chunk: string) => {
        body += chunk;
      });
      request.on('end', () => {
        logoutTokens.push(new URLSearchParams(body).get('logout_token') ?? '');
        response.writeHead(200).end();
      });
    });
    await new Promise<void>((resolve) => application.listen(0, '127.0.0.1', resolve));
    const { port } = application.address() as AddressInfo;
    notifiedClient = { redirect_uris: [callback], backchannel_logout_uri: `http://127.0.0.1:${port}/backchannel` };
    idp = await startIdp({ world: interactive, users, settings: { login: { session: 'on' } } });
  });
  afterEach(() => idp.setClock(0));
  after(async () => {
    await idp.stop();
    application.closeAllConnections();
    application.close();
  });

  const ask = (browser: BrowserClient, mode: Mode, changes: Record<string, string> = {}) =>
    browser.get(authorizePath({ scope: 'openid', response_mode: mode, nonce: 'n', state: 's', ...changes }));
  const parameterOf = (page: Page, mode: Mode, name: string) =>
    mode === 'query' ? redirectParameters(page).get(name) : (fieldOf(page, name) ?? null);
  const isLoginPage = (page: Page) => page.status === 200 && fieldOf(page, 'password') === '';
  async function idTokenOf(page: Page, mode: Mode) {
    const { status, body } = await redeem(idp, parameterOf(page, mode, 'code') ?? '');
    expect(status, JSON.stringify(body)).to.equal(200);
    return { text: String(body.id_token), claims: claimsOf(String(body.id_token)), body };
  }
  const eachMode = async (check: (mode: Mode) => Promise<void>) => {
    for (const mode of modes) await check(mode);
  };

  verifies(['SSO-M01', 'SSO-11', 'SSO-13', 'SSO-23'], 'pass: prompt-none-logged-in and id-token-hint', () =>
    eachMode(async (mode) => {
      const browser = newBrowser(idp);
      const first = await idTokenOf(await browser.submit(await ask(browser, mode), alice), mode);
      for (const changes of [{ prompt: 'none' }, { prompt: 'none', id_token_hint: first.text }]) {
        const second = await idTokenOf(await ask(browser, mode, changes), mode);
        expect(second.claims).to.include({ sub: first.claims.sub, auth_time: first.claims.auth_time });
        expect(second.claims.auth_time).to.be.a('number');
      }
    }),
  );

  verifies(
    ['SSO-M02', 'SSO-15', 'SSO-16', 'SSO-20'],
    'pass: max-age-10000, max-age-1, prompt-login and prompt-none-not-logged-in',
    () =>
      eachMode(async (mode) => {
        const stranger = await ask(newBrowser(idp), mode, { prompt: 'none' });
        expect([parameterOf(stranger, mode, 'error'), parameterOf(stranger, mode, 'state')]).to.deep.equal([
          'login_required',
          's',
        ]);
        const browser = newBrowser(idp);
        const first = await idTokenOf(await browser.submit(await ask(browser, mode), alice), mode);
        await idp.setClock(5000);
        const young = await idTokenOf(await ask(browser, mode, { max_age: '10000' }), mode);
        expect(young.claims.auth_time).to.equal(first.claims.auth_time);
        let before = Number(first.claims.auth_time);
        for (const changes of [{ max_age: '1' }, { prompt: 'login' }]) {
          const page = await ask(browser, mode, changes);
          expect(isLoginPage(page), page.text).to.equal(true);
          const again = await idTokenOf(await browser.submit(page, alice), mode);
          expect(again.claims.auth_time).to.be.above(before);
          before = Number(again.claims.auth_time);
          await idp.setClock(10_000);
        }
        await idp.setClock(0);
      }),
  );

  verifies(
    ['SSO-M03', 'SSO-30', 'SSO-31'],
    'pass: ensure-request-with-acr-values-succeeds, with the values that discovery lists',
    () =>
      eachMode(async (mode) => {
        const { acr_values_supported: values } = (await call(idp, '/.well-known/openid-configuration')).body;
        expect(values).to.deep.equal(['https://refeds.org/profile/sfa']);
        const browser = newBrowser(idp);
        const page = await ask(browser, mode, { acr_values: (values as string[]).join(' ') });
        const { claims: id } = await idTokenOf(await browser.submit(page, alice), mode);
        expect(id.acr).to.equal('https://refeds.org/profile/sfa');
      }),
  );

  verifies(['SSO-M06', 'PCL-19'], 'pass: server, with ID tokens without token_use', async () => {
    const oauth = { id_token_token_use: false };
    await idp.configure({ users, settings: { login: { session: 'on' }, oauth } });
    await eachMode(async (mode) => {
      const browser = newBrowser(idp);
      const { claims: id } = await idTokenOf(await browser.submit(await ask(browser, mode), alice), mode);
      expect(id).to.include({ sub: 'alice', nonce: 'n' });
      expect(id).to.not.have.property('token_use');
    });
    await idp.configure({ users, settings: { login: { session: 'on' } } });
  });

  verifies(
    ['SSO-M07', 'PCL-01', 'PCL-06'],
    'pass: scope-profile, scope-address, scope-phone and scope-all, with every claim of each scope in UserInfo',
    async () => {
      const scopes = ['openid', 'profile', 'email', 'address', 'phone', 'offline_access'];
      const oauth = { scopes_supported: scopes, userinfo_by_scope: true };
      await idp.configure({ users, settings: { login: { session: 'on' }, oauth } });
      const { address: _, phone_number, phone_number_verified, email_verified, ...profile } = claims;
      const email = { email: 'alice@example.org', email_verified };
      const phone = { phone_number, phone_number_verified };
      for (const [scope, expected, absent] of [
        ['openid profile', profile, ['address', 'phone_number', 'email']],
        ['openid address', { address }, ['name', 'phone_number', 'email']],
        ['openid phone', phone, ['name', 'address', 'email']],
        ['openid profile email address phone', { ...profile, ...email, address, ...phone }, []],
      ] as const) {
        await eachMode(async (mode) => {
          const browser = newBrowser(idp);
          const { body } = await idTokenOf(await browser.submit(await ask(browser, mode, { scope }), alice), mode);
          const info = (await userinfo(idp, String(body.access_token))).body;
          expect(info, scope).to.deep.include(expected);
          for (const name of absent) expect(info, scope).to.not.have.property(name);
        });
      }
      await idp.configure({ users, settings: { login: { session: 'on' } } });
    },
  );

  describe('logout of registered clients', () => {
    const out = 'https://rp.example/out';
    const bye = { post_logout_redirect_uri: out, state: 'bye' };
    before(async () => {
      const oauth = { dynamic_registration: { enabled: true, metadata: 'full' } };
      const logout = { delivery_timeout_ms: 20_000 };
      await idp.configure({ users, settings: { login: { session: 'on' }, oauth, logout } });
    });
    beforeEach(() => logoutTokens.splice(0));
    after(() => idp.configure({ users, settings: { login: { session: 'on' } } }));

    /** A browser that is logged in at a client registered with `metadata`, and the ID token. */
    async function loggedIn(metadata: object) {
      const registered = await call(idp, '/register', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ redirect_uris: [callback], post_logout_redirect_uris: [out], ...metadata }),
      });
      expect(registered.body).to.deep.include(metadata);
      const clientId = String(registered.body.client_id);
      const browser = newBrowser(idp);
      const page = await browser.get(authorizePath({ client_id: clientId, scope: 'openid' }));
      const code = codeOf(await browser.submit(page, alice));
      const ownHeader = { Authorization: basic(clientId, String(registered.body.client_secret)) };
      const form = { grant_type: 'authorization_code', code, redirect_uri: callback };
      const hint = String((await postTo(idp, '/token', form, ownHeader)).body.id_token);
      const logOut = (parameters: Record<string, string>) =>
        browser.get(`/logout?${new URLSearchParams({ ...parameters, ...bye })}`);
      const silently = async () => parameterOf(await ask(browser, 'query', { prompt: 'none' }), 'query', 'error');
      return { clientId, browser, hint, logOut, silently };
    }
    const discovered = async () => (await call(idp, '/.well-known/openid-configuration')).body;

    verifies(
      ['SSO-M10', 'LGO-04', 'LGO-05'],
      'passes rp-initiated-logout-modified-id-token-hint, -bad-id-token-hint and -no-id-token-hint',
      async () => {
        const { browser, hint, logOut, silently } = await loggedIn({});
        const [header, payload, signature = ''] = hint.split('.');
        const other = (text: string) =>
          Buffer.from(JSON.stringify({ ...claimsOf(text), sub: 'bob' })).toString('base64url');
        for (const bad of [
          `${header}.${payload}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`,
          `${header}.${other(hint)}.${signature}`,
          'bad',
        ]) {
          const refused = await logOut({ id_token_hint: bad });
          expect([refused.status, refused.location], bad).to.deep.equal([400, null]);
          expect(refused.text).to.contain('id_token_hint');
        }
        const asked = await logOut({});
        expect([asked.status, asked.location]).to.deep.equal([200, null]);
        expect(await silently(), 'nothing has ended').to.equal(null);
        // The request names no client, so the browser is not redirected.
        const done = await browser.submit(asked, { confirm: 'yes' });
        expect([done.status, done.location]).to.deep.equal([200, null]);
        expect(await silently()).to.equal('login_required');
      },
    );

    verifies(
      'SSO-M11',
      'passes backchannel-logout-discovery-endpoint-verification and backchannel-rp-initiated-logout',
      async () => {
        const found = await discovered();
        expect(found).to.include({ backchannel_logout_supported: true, backchannel_logout_session_supported: true });
        const { clientId, hint, logOut, silently } = await loggedIn({
          ...notifiedClient,
          backchannel_logout_session_required: true,
        });
        const done = await logOut({ id_token_hint: hint });
        expect(redirectParameters(done).get('state')).to.equal('bye');
        expect(logoutTokens).to.have.length(1);
        const jwks = createRemoteJWKSet(new URL(`${idp.baseUrl}/.well-known/jwks.json`));
        const { payload } = await jwtVerify(logoutTokens[0] ?? '', jwks, { issuer: idp.baseUrl, audience: clientId });
        expect(payload).to.include({ sid: claimsOf(hint).sid, sub: 'alice' });
        expect(await silently()).to.equal('login_required');
      },
    );

    verifies(
      'SSO-M12',
      'passes frontchannel-logout-discovery-endpoint-verification and frontchannel-rp-initiated-logout',
      async () => {
        const found = await discovered();
        expect(found).to.include({ frontchannel_logout_supported: true, frontchannel_logout_session_supported: true });
        const frame = `${new URL(callback).origin}/frame?keep=1`;
        const { hint, logOut, silently } = await loggedIn({
          ...{ frontchannel_logout_uri: frame, frontchannel_logout_session_required: true },
        });
        const { body } = await logOut({ id_token_hint: hint });
        const addresses = [...body.matchAll(/<iframe src="([^"]*)"/g)].map(([, src = '']) =>
          src.replaceAll('&amp;', '&'),
        );
        const asked = new URLSearchParams({ iss: idp.baseUrl, sid: String(claimsOf(hint).sid) });
        expect(addresses).to.deep.equal([`${frame}&${asked}`]);
        expect(body).to.contain(`href="${out}?state=bye"`);
        expect(await silently()).to.equal('login_required');
      },
    );
  });

  verifies(['SSO-M18', 'TLS-08'], 'pass: every discovery module, with TLS and no proxy in front', async () => {
    const { issuer: _issuer, ...oauth } = demoSettings.oauth;
    const secure = await startIdp({ command: 'oidc', settings: { ...demoSettings, oauth }, args: ['--tls'] });
    try {
      const ask = secureClient(secure);
      const found: Record<string, unknown> = JSON.parse((await ask('/.well-known/openid-configuration')).body);
      const addresses = Object.entries(found).filter(([name]) => name === 'issuer' || /_(endpoint|uri)$/.test(name));
      expect(addresses.length).to.be.above(7);
      for (const [name, value] of addresses) expect(value, name).to.match(/^https:\/\//);
      const port = new URL(secure.baseUrl).port;
      const local = new URL(String(found.jwks_uri));
      expect(local.port, 'the port that was asked').to.equal(port);
      expect((await ask(local.pathname)).status).to.equal(200);
    } finally {
      await secure.stop();
    }
  });
});
