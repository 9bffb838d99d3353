// /logout with its alias, RP-initiated logout, and /ui/logout.
import { expect } from 'chai';
import { authorizePath, codeOf, newBrowser, redeem } from '#test/support/authorization-flow.ts';
import type { Page } from '#test/support/browser-client.ts';
import { alice } from '#test/support/credentials.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { callback, interactive } from '#test/support/worlds.ts';

const bye = 'https://app.example/bye?x=%2f';
const listed = { client_id: 'listed', client_secret: 's', post_logout_redirect_uris: [bye, 'com.example.app:/bye'] };

describe('logout', () => {
  let idp: RunningIdp;
  let ahead = 0;
  before(async () => {
    idp = await startIdp({ world: interactive, settings: { require_ui_login: true }, clients: [listed] });
  });
  after(() => idp.stop());

  const configure = (settings: object = {}) =>
    idp.configure({ settings: { require_ui_login: true, ...settings }, clients: [listed] });

  async function idToken(): Promise<string> {
    const pkce = { code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', code_challenge_method: 'S256' };
    const code = codeOf(await newBrowser(idp).post(authorizePath(pkce), alice));
    const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
    return String((await redeem(idp, code, { code_verifier: verifier })).body.id_token);
  }

  const ask = (parameters: Readonly<Record<string, string>>): Promise<Page> =>
    newBrowser(idp).get(`/logout?${new URLSearchParams(parameters)}`);

  function expectPage(page: Page) {
    expect(page.status, page.location ?? '').to.equal(200);
    expect(page.location).to.equal(null);
    expect(page.headers.get('content-type')).to.equal('text/html; charset=utf-8');
    expect(page.text).to.contain('You are logged out');
  }

  function expectFollowed(page: Page, location: string) {
    expect([page.status, page.location]).to.deep.equal([302, location]);
  }

  verifies(
    ['OUT-01', 'OUT-02', 'LOG-30'],
    'reads its parameters and ends the session at both paths with both methods',
    async () => {
      for (const path of ['/logout', '/end_session']) {
        for (const method of ['GET', 'POST'] as const) {
          const browser = newBrowser(idp);
          await browser.post('/login', alice);
          expect((await browser.get('/')).status).to.equal(200);
          const parameters = { client_id: 'listed', post_logout_redirect_uri: bye, state: 'a b' };
          const query = `${path}?${new URLSearchParams(parameters)}`;
          const page = method === 'GET' ? await browser.get(query) : await browser.post(path, parameters);
          expectFollowed(page, 'https://app.example/bye?x=%2f&state=a%20b');
          expect((await browser.get('/')).location).to.contain('/login');
          const [event] = (await idp.audit('&event_type=logout_request')).slice(-1);
          expect(event).to.deep.include({
            status: 'success',
            username: 'alice',
            client_id: 'listed',
            endpoint: '/logout',
          });
          expect(event?.details).to.deep.equal({ has_redirect: true });
          // The server ignores parameters in the other place.
          const elsewhere = method === 'GET' ? await browser.post(query) : await browser.get(path);
          expectPage(elsewhere);
        }
      }
    },
  );

  verifies(['OUT-02', 'OUT-03'], 'shows a page without an address, and ends the session', async () => {
    const browser = newBrowser(idp);
    await browser.post('/login', alice);
    expectPage(await browser.get('/logout'));
    expect((await browser.get('/')).location).to.contain('/login');
    expectPage(await ask({ state: 's', client_id: 'listed' }));
    expectPage(await newBrowser(idp).post('/logout'));
  });

  verifies(
    ['OUT-04', 'OUT-05'],
    'takes the client from the hint, even an expired one, and does not redirect if the hint does not verify (D50)',
    async () => {
      await idp.configure({
        settings: { require_ui_login: true },
        clients: [
          { ...listed, client_id: 'other' },
          { ...listed, post_logout_redirect_uris: ['https://x.example/'] },
        ],
      });
      const hint = await idToken();
      // The hint names `web`, which lists no address, so dev follows any.
      expectFollowed(await ask({ id_token_hint: hint, post_logout_redirect_uri: bye }), bye);
      expectFollowed(await ask({ id_token_hint: hint, client_id: 'web', post_logout_redirect_uri: bye }), bye);
      // The client_id differs from the client of the hint: no redirect, although each alone would redirect.
      expectFollowed(await ask({ client_id: 'other', post_logout_redirect_uri: bye }), bye);
      expectPage(await ask({ id_token_hint: hint, client_id: 'other', post_logout_redirect_uri: bye }));
      ahead += 2 * 3_600_000;
      await idp.setClock(ahead);
      expectPage(await ask({ id_token_hint: hint, client_id: 'other', post_logout_redirect_uri: bye }));
      for (const bad of [`${hint}x`, 'x', 'a.b.c', hint.slice(0, -10), `${hint.split('.').slice(0, 2).join('.')}.`]) {
        const parameters = { id_token_hint: bad, client_id: 'other', post_logout_redirect_uri: bye };
        expectPage(await ask(parameters));
        expectPage(await ask({ id_token_hint: bad, post_logout_redirect_uri: bye }));
      }
      await configure();
    },
  );

  verifies('OUT-04', 'takes the client from a hint with several audiences that it was issued to', async () => {
    const web = { client_id: 'web', client_secret: 'web-secret', redirect_uris: [callback] };
    const manifold = { ...web, additional_audiences: ['listed'], post_logout_redirect_uris: [bye] };
    await idp.configure({ settings: { require_ui_login: true, oauth: { clients: [manifold, listed] } } });
    const hint = await idToken();
    expectFollowed(await ask({ id_token_hint: hint, post_logout_redirect_uri: bye }), bye);
    expectFollowed(await ask({ id_token_hint: hint, client_id: 'web', post_logout_redirect_uri: bye }), bye);
    expectPage(await ask({ id_token_hint: hint, client_id: 'listed', post_logout_redirect_uri: bye }));
    await configure();
  });

  verifies('OUT-05', 'does not accept an access token as hint', async () => {
    const code = codeOf(await newBrowser(idp).post(authorizePath(), alice));
    const hint = String((await redeem(idp, code)).body.access_token);
    expectPage(await ask({ id_token_hint: hint, client_id: 'listed', post_logout_redirect_uri: bye }));
  });

  verifies('OUT-06', 'redirects a client with registered addresses exactly to those', async () => {
    expectFollowed(await ask({ client_id: 'listed', post_logout_redirect_uri: bye }), bye);
    expectFollowed(
      await ask({ client_id: 'listed', post_logout_redirect_uri: 'com.example.app:/bye' }),
      'com.example.app:/bye',
    );
    for (const post_logout_redirect_uri of [
      'https://app.example/bye?x=%2F',
      'https://app.example/bye',
      'https://APP.example/bye?x=%2f',
      `${bye}&y=1`,
      'https://evil.example/',
    ]) {
      expectPage(await ask({ client_id: 'listed', post_logout_redirect_uri }));
    }
  });

  verifies(['OUT-06', 'OUT-09', 'AUD-22'], 'records in the audit why it did not redirect', async () => {
    const notFollowed = 'No redirect to the post_logout_redirect_uri: ';
    const hint = await idToken();
    const cases: readonly (readonly [Record<string, string>, string])[] = [
      [{ client_id: 'listed' }, 'it is not one of the post_logout_redirect_uris of the client.'],
      [{ client_id: 'listed', id_token_hint: hint }, 'client_id and id_token_hint name different clients.'],
      [{ client_id: 'listed', id_token_hint: 'x' }, 'id_token_hint is not an ID token of this server.'],
    ];
    for (const [parameters, why] of cases) {
      const other = 'https://app.example/other';
      const [event] = await idp.audited(() => ask({ ...parameters, post_logout_redirect_uri: other }));
      expect(event).to.deep.include({ event_type: 'logout_request', status: 'success' });
      expect(event?.details).to.deep.equal({ has_redirect: true, reason: `${notFollowed}${why}` });
    }
    const [followed] = await idp.audited(() => ask({ client_id: 'listed', post_logout_redirect_uri: bye }));
    expect(followed?.details).to.deep.equal({ has_redirect: true });
  });

  verifies(['OUT-07', 'PRF-15'], 'redirects to an unlisted address only under dev', async () => {
    for (const security_profile of ['dev', 'stricter-dev', 'oauth21']) {
      await configure({ security_profile });
      const hint = await idToken();
      for (const parameters of [{}, { client_id: 'web' }, { client_id: 'nobody' }, { id_token_hint: hint }]) {
        const page = await ask({ ...parameters, post_logout_redirect_uri: bye });
        if (security_profile === 'dev') expectFollowed(page, bye);
        else expectPage(page);
      }
      expectFollowed(await ask({ client_id: 'listed', post_logout_redirect_uri: bye }), bye);
    }
    await configure();
  });

  verifies('OUT-08', 'appends state, percent-encoded, if it was sent', async () => {
    const address = { client_id: 'listed', post_logout_redirect_uri: bye };
    expectFollowed(await ask({ ...address, state: 'ü &=#' }), `${bye}&state=%C3%BC%20%26%3D%23`);
    expectFollowed(await ask(address), bye);
  });

  verifies('OUT-09', 'shows the page for an address of an unusable form, and ends the session', async () => {
    for (const post_logout_redirect_uri of [
      'javascript:alert(1)',
      '/relative',
      '//evil.example/',
      'https://app.example/#fragment',
      'https://app.example/\r\nSet-Cookie: a=b',
    ]) {
      const browser = newBrowser(idp);
      await browser.post('/login', alice);
      expectPage(await browser.get(`/logout?${new URLSearchParams({ post_logout_redirect_uri })}`));
      expect((await browser.get('/')).location).to.contain('/login');
    }
    const post_logout_redirect_uri = 'myapp:/bye';
    expectFollowed(await ask({ post_logout_redirect_uri }), post_logout_redirect_uri);
    await configure({ security_profile: 'stricter-dev' });
    expectPage(await ask({ post_logout_redirect_uri }));
    await configure();
  });

  it('ends no session and records no event on HEAD (RFC 9110 §9.2.1, WEB-25)', async () => {
    const browser = newBrowser(idp);
    const done = await browser.post('/login', alice);
    const cookie = String(done.headers.get('set-cookie')).split(';')[0] ?? '';
    const before = (await idp.audit()).length;
    for (const [path, allow] of [
      ['/logout', 'GET, POST, OPTIONS'],
      ['/end_session', 'GET, POST, OPTIONS'],
      ['/ui/logout', 'GET, OPTIONS'],
    ] as const) {
      const answer = await fetch(idp.baseUrl + path, { method: 'HEAD', headers: { cookie }, redirect: 'manual' });
      expect([answer.status, answer.headers.get('allow')], path).to.deep.equal([405, allow]);
      expect(answer.headers.get('set-cookie')).to.equal(null);
    }
    expect((await idp.audit()).length).to.equal(before);
    expect((await fetch(`${idp.baseUrl}/device`, { method: 'HEAD' })).status).to.equal(200);
  });
});
