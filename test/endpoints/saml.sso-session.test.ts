import { expect } from 'chai';
import { loggedIn, newBrowser } from '#test/support/authorization-flow.ts';
import { BrowserClient, fieldOf } from '#test/support/browser-client.ts';
import {
  authnRequest,
  delivered,
  encodePost,
  nameIdIn,
  nameIdPolicy,
  namespaces,
  only,
  redirectQuery,
} from '#test/support/saml/service-provider.ts';
import { verifyWithXmlsec } from '#test/support/saml/verify-signature.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { totp } from '#test/support/totp.ts';
import { verifies } from '#test/support/verifies.ts';
import { saml, samlUsers } from '#test/support/worlds.ts';

const format = (kind: string) =>
  kind.includes(':')
    ? kind
    : `urn:oasis:names:tc:SAML:${kind === 'unspecified' || kind === 'emailAddress' ? '1.1' : '2.0'}:nameid-format:${kind}`;
const secret = 'JBSWY3DPEHPK3PXP';

describe('/saml/sso: sessions, passivity and name identifiers', () => {
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({ world: saml });
  });
  after(() => idp.stop());
  beforeEach(() => idp.configure());

  const post = (browser: BrowserClient, xml: string, headers = {}) =>
    browser.post('/saml/sso', { SAMLRequest: encodePost(xml), RelayState: 'r' }, headers);
  const runtimeUser = async (method: 'POST' | 'DELETE', username: string, body: object = {}) => {
    const path = method === 'POST' ? '/api/runtime/users' : `/api/runtime/users/${username}`;
    const answer = await fetch(idp.baseUrl + path, {
      method,
      headers: { 'Content-Type': 'application/json' },
      ...(method === 'POST' ? { body: JSON.stringify({ username, ...body }) } : {}),
    });
    expect(answer.ok, await answer.text()).to.equal(true);
  };

  verifies('SAM-31', 'uses a session from /login or an earlier SSO in both bindings', async () => {
    const browser = newBrowser(idp);
    const form = await browser.get(`/saml/sso?${redirectQuery(authnRequest({ id: '_1' }), 'state')}`);
    expect(form.status).to.equal(200);
    const first = delivered(await browser.submit(form, { username: 'alice', password: 'wonderland' }));
    expect([...first.status, first.relayState, first.acs]).to.deep.equal([
      'Success',
      'state',
      'https://sp.example/acs',
    ]);
    for (const used of [browser, await loggedIn(idp, 'alice')]) {
      const redirected = delivered(await used.get(`/saml/sso?${redirectQuery(authnRequest({ id: '_2' }))}`));
      expect(redirected.root.getAttribute('InResponseTo')).to.equal('_2');
      expect(nameIdIn(redirected.root).value).to.equal('alice@example.com');
      expect(delivered(await post(used, authnRequest({ id: '_3' }))).root.getAttribute('InResponseTo')).to.equal('_3');
    }
  });

  verifies('SAM-32', 'repeats a POST from another site from its own site before it checks the session', async () => {
    const browser = await loggedIn(idp);
    const xml = authnRequest({ id: '_x', attributes: 'IsPassive="true"' });
    for (const headers of [
      { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://sp.example' },
      { Origin: 'https://sp.example' },
      { Origin: 'null' },
    ]) {
      // The browser does not send its SameSite=Lax cookie.
      const page = await post(newBrowser(idp), xml, headers);
      expect(page.status).to.equal(200);
      expect(page.body).to.not.contain('SAMLResponse');
      expect(page.headers.get('set-cookie'), 'the cookie that was not sent must not be replaced').to.equal(null);
      const [form] = page.forms;
      expect(form?.action).to.equal(`${idp.baseUrl}/saml/sso`);
      const again = await browser.submit(page, {}, { 'Sec-Fetch-Site': 'same-origin', Origin: idp.baseUrl });
      expect(delivered(again).status).to.deep.equal(['Success']);
      expect(delivered(again).root.getAttribute('InResponseTo')).to.equal('_x');
      expect(delivered(again).relayState).to.equal('r');
      // Repeated only once: a browser without a session gets an error instead of a loop.
      const without = await newBrowser(idp).submit(
        page,
        {},
        { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://sp.example' },
      );
      expect(delivered(without).status).to.deep.equal(['Responder', 'NoPassive']);
    }
    // Programs, and browsers that sent their cookie, get their response at once.
    expect(delivered(await post(browser, xml, { 'Sec-Fetch-Site': 'cross-site' })).status).to.deep.equal(['Success']);
    expect(delivered(await post(newBrowser(idp), xml)).status).to.deep.equal(['Responder', 'NoPassive']);
  });

  verifies('SAM-33', 'ends the session of a user who no longer exists', async () => {
    await runtimeUser('POST', 'ghost', { password: 'boo' });
    const browser = await loggedIn(idp, 'ghost', 'boo');
    expect(delivered(await post(browser, authnRequest())).status).to.deep.equal(['Success']);
    await runtimeUser('DELETE', 'ghost');
    const events = await idp.audited(async () => {
      const page = await post(browser, authnRequest());
      expect(page.status).to.equal(401);
      expect(page.body).to.not.contain('SAMLResponse');
    });
    expect(
      events.map(({ event_type, status, username, details }) => [event_type, status, username, details]),
    ).to.deep.equal([
      [
        'saml_request',
        'failed',
        'ghost',
        { reason: 'the user of the session no longer exists', refusal: 'saml_session_user_gone' },
      ],
    ]);
    const next = await post(browser, authnRequest());
    expect([next.status, fieldOf(next, 'password')]).to.deep.equal([200, '']);
  });

  verifies(['SAM-34', 'SAM-53'], 'never shows a page for IsPassive', async () => {
    const pem = await (await fetch(`${idp.baseUrl}/saml/cert.pem`)).text();
    for (const [browser, attributes] of [
      [newBrowser(idp), 'IsPassive="true"'],
      [newBrowser(idp), 'IsPassive="1"'],
      [await loggedIn(idp), 'IsPassive="true" ForceAuthn="1"'],
    ] as const) {
      const events = await idp.audited(async () => {
        const answer = delivered(await post(browser, authnRequest({ id: '_p', attributes })));
        expect(answer.status).to.deep.equal(['Responder', 'NoPassive']);
        expect(answer.acs).to.equal('https://sp.example/acs');
        expect(answer.root.getAttribute('Destination')).to.equal('https://sp.example/acs');
        expect(answer.root.getAttribute('InResponseTo')).to.equal('_p');
        expect(answer.root.getElementsByTagNameNS(namespaces.assertion, 'Assertion')).to.have.length(0);
        expect(only(answer.root, namespaces.signature, 'Signature').parentNode).to.equal(answer.root);
        await verifyWithXmlsec(answer.xml, pem);
      });
      expect(events.map(({ status, details }) => [status, details])).to.deep.equal([
        ['failed', { reason: 'Responder/NoPassive', refusal: 'no_passive' }],
      ]);
    }
    const withCredentials = {
      SAMLRequest: encodePost(authnRequest({ attributes: 'IsPassive="true"' })),
      username: 'alice',
      password: 'wonderland',
    };
    expect(delivered(await newBrowser(idp).post('/saml/sso', withCredentials)).status).to.deep.equal([
      'Responder',
      'NoPassive',
    ]);
    const browser = await loggedIn(idp);
    for (const value of ['true', '1', 'false', '0']) {
      const answer = delivered(await post(browser, authnRequest({ attributes: `IsPassive="${value}"` })));
      expect(answer.status, value).to.deep.equal(['Success']);
    }
    // A login in the same POST is ignored too: the session answers, even for a wrong password.
    const wrong = delivered(await browser.post('/saml/sso', { ...withCredentials, username: 'bob', password: 'no' }));
    expect(wrong.status).to.deep.equal(['Success']);
    expect(nameIdIn(wrong.root).value).to.equal('alice@example.com');
  });

  verifies(['SAM-35', 'SAM-51'], 'requires a new login for ForceAuthn, whose time the assertion contains', async () => {
    const browser = await loggedIn(idp);
    const instantOf = (xml: string) => /AuthnInstant="([^"]+)"/.exec(xml)?.[1] ?? '';
    const first = instantOf(delivered(await post(browser, authnRequest())).xml);
    // The time has whole seconds, so the next second must begin.
    while (Date.now() < Date.parse(first) + 1000) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(
      instantOf(delivered(await post(browser, authnRequest())).xml),
      'the time of the login, not of the response',
    ).to.equal(first);
    for (const value of ['true', '1']) {
      const form = await post(browser, authnRequest({ attributes: `ForceAuthn="${value}"` }));
      expect(form.body).to.not.contain('SAMLResponse');
      const second = delivered(await browser.submit(form, { username: 'bob', password: 'builder' }));
      expect(Date.parse(instantOf(second.xml))).to.be.above(Date.parse(first));
      expect(nameIdIn(second.root).value).to.equal('bob@example.org');
    }
    expect(nameIdIn(delivered(await post(browser, authnRequest())).root).value).to.equal('bob@example.org');
  });

  verifies('SAM-36', 'returns the address without Format, for unspecified and for emailAddress', async () => {
    const asked = async (browser: BrowserClient, children: string) =>
      nameIdIn(delivered(await post(browser, authnRequest({ children }))).root);
    const alice = await loggedIn(idp);
    const bob = await loggedIn(idp, 'bob', 'builder');
    for (const [children, answered] of [
      ['', format('unspecified')],
      ['<samlp:NameIDPolicy AllowCreate="true"/>', format('unspecified')],
      [nameIdPolicy(format('unspecified')), format('unspecified')],
      [nameIdPolicy(format('emailAddress')), format('emailAddress')],
    ] as const) {
      expect(await asked(alice, children)).to.deep.equal({
        value: 'alice@example.com',
        attributes: { Format: answered },
      });
      expect(await asked(bob, children)).to.deep.equal({ value: 'bob@example.org', attributes: { Format: answered } });
    }
    await idp.configure({ users: { ...samlUsers, carol: { password: 'c', email: '' } } });
    expect((await asked(await loggedIn(idp, 'carol', 'c'), '')).value).to.equal('carol@example.org');
  });

  verifies('SAM-37', 'keeps one persistent identifier for each user and provider in every process', async () => {
    const persistent = async (browser: BrowserClient, issuer = 'https://sp.example') =>
      nameIdIn(
        delivered(await post(browser, authnRequest({ issuer, children: nameIdPolicy(format('persistent')) }))).root,
      );
    const alice = await loggedIn(idp);
    const first = await persistent(alice);
    expect(first.attributes).to.deep.equal({
      Format: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
      NameQualifier: `${idp.baseUrl}/saml`,
      SPNameQualifier: 'https://sp.example',
    });
    expect(first.value).to.match(/^_[0-9a-f]{40}$/);
    expect(first.value.toLowerCase()).to.not.contain('alice');
    expect((await persistent(await loggedIn(idp))).value).to.equal(first.value);
    expect((await persistent(alice, 'https://other.example')).value).to.not.equal(first.value);
    expect((await persistent(await loggedIn(idp, 'bob', 'builder'))).value).to.not.equal(first.value);

    const rotated = await fetch(`${idp.baseUrl}/api/keys/rotate`, { method: 'POST' });
    expect(rotated.status).to.equal(200);
    expect((await persistent(alice)).value).to.equal(first.value);
    // Another process with its own store, and the same one after a restart.
    for (let run = 0; run < 2; run += 1) {
      const other = await startIdp({ command: 'saml', root: idp.root });
      try {
        const browser = new BrowserClient(other.baseUrl);
        const request = encodePost(authnRequest({ children: nameIdPolicy(format('persistent')) }));
        const page = await browser.post('/saml/sso', {
          SAMLRequest: request,
          username: 'alice',
          password: 'wonderland',
        });
        expect(nameIdIn(delivered(page).root).value).to.equal(first.value);
      } finally {
        await other.stop();
      }
    }
  });

  verifies('SAM-38', 'creates a new transient identifier in every assertion', async () => {
    const alice = await loggedIn(idp);
    const children = nameIdPolicy(format('transient'));
    const values = new Set<string>();
    for (let count = 0; count < 5; count += 1) {
      const { value, attributes } = nameIdIn(delivered(await post(alice, authnRequest({ children }))).root);
      expect(attributes).to.deep.equal({ Format: 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient' });
      expect(value).to.match(/^_[0-9a-f]{32}$/);
      values.add(value);
    }
    expect(values.size).to.equal(5);
  });

  verifies(['SAM-39', 'SAM-53'], 'rejects another Format at the ACS before a login', async () => {
    for (const wrong of [format('kerberos'), 'urn:oasis:names:tc:SAML:1.1:nameid-format:X509SubjectName', 'nonsense']) {
      for (const browser of [newBrowser(idp), await loggedIn(idp)]) {
        const events = await idp.audited(async () => {
          const answer = delivered(await post(browser, authnRequest({ children: nameIdPolicy(wrong) })));
          expect(answer.status).to.deep.equal(['Requester', 'InvalidNameIDPolicy']);
          expect(only(answer.root, namespaces.signature, 'Signature').parentNode).to.equal(answer.root);
        });
        expect(events.map(({ details }) => details)).to.deep.equal([
          { reason: 'Requester/InvalidNameIDPolicy', refusal: 'name_id_policy_not_supported', sent: wrong },
        ]);
      }
    }
  });

  verifies(
    ['LOG-01', 'LOG-03', 'AUD-23', 'AUD-25'],
    'shows the page again after failed logins, and records them',
    async () => {
      const browser = newBrowser(idp);
      const events = await idp.audited(async () => {
        const form = await post(browser, authnRequest({ issuer: undefined }));
        const wrong = await browser.submit(form, { username: 'alice', password: 'wrong' });
        expect(wrong.status).to.equal(200);
        const unknown = await browser.submit(form, { username: 'nobody', password: 'wrong' });
        expect([unknown.status, unknown.text.replaceAll('nobody', 'alice')]).to.deep.equal([200, wrong.text]);
        expect(wrong.headers.get('set-cookie')).to.equal(null);
        delivered(await browser.submit(wrong, { username: ' alice ', password: 'wonderland' }));
      });
      expect(
        events.map(({ event_type, endpoint, status, username, details }) => [
          event_type,
          endpoint,
          status,
          username,
          details,
        ]),
      ).to.deep.equal([
        [
          'login',
          '/saml/sso',
          'failed',
          'alice',
          { reason: 'wrong username or password', refusal: 'user_credentials_wrong' },
        ],
        [
          'login',
          '/saml/sso',
          'failed',
          'nobody',
          { reason: 'wrong username or password', refusal: 'user_credentials_wrong' },
        ],
        ['login', '/saml/sso', 'success', 'alice', {}],
        [
          'saml_request',
          '/saml/sso',
          'success',
          'alice',
          { acs_url: 'https://sp.example/acs', sp_issuer: null, audience: 'default' },
        ],
      ]);
    },
  );

  verifies(
    ['LOG-16', 'SAM-51'],
    'binds a second factor to the pending SAML request, its RelayState and verb',
    async () => {
      await idp.configure({
        settings: { login: { totp: true } },
        users: { ...samlUsers, tom: { password: 'p', totp_secret: secret } },
      });
      const browser = newBrowser(idp);
      const query = redirectQuery(authnRequest({ id: '_t' }), 'state');
      const code = await browser.submit(await browser.get(`/saml/sso?${query}`), { username: 'tom', password: 'p' });
      expect(code.headers.get('cache-control')).to.contain('no-store');
      expect(fieldOf(code, 'pending_second_factor')).to.be.a('string');
      const totp_code = totp(secret);
      const fields = Object.fromEntries(code.forms.flatMap((form) => form.fields));
      const elsewhere: Record<string, string>[] = [
        { ...fields, totp_code, RelayState: 'other' },
        { ...fields, totp_code, saml_original_verb: 'POST' },
        { ...fields, totp_code, SAMLRequest: encodePost(authnRequest()) },
      ];
      for (const attempt of elsewhere) {
        const page = await browser.post('/saml/sso', attempt);
        expect(page.body).to.not.contain('SAMLResponse');
        expect(page.text).to.contain('expired');
      }
      const { xml } = delivered(await browser.submit(code, { totp_code }));
      expect(xml).to.contain('<saml2:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:TimeSyncToken<');
      // The class remains that of the login that started the session.
      await idp.configure({
        settings: { login: { mode: 'persona' } },
        users: { ...samlUsers, tom: { password: 'p' } },
      });
      expect(delivered(await post(browser, authnRequest())).xml).to.contain(':ac:classes:TimeSyncToken<');
      const persona = newBrowser(idp);
      const picker = await post(persona, authnRequest());
      const chosen = await persona.post('/saml/sso', {
        ...Object.fromEntries(picker.forms[0]?.fields ?? []),
        username: 'bob',
      });
      expect(delivered(chosen).xml).to.contain('urn:oasis:names:tc:SAML:2.0:ac:classes:unspecified<');
      await idp.configure();
      expect(delivered(await post(persona, authnRequest())).xml).to.contain(':ac:classes:unspecified<');
      const password = await loggedIn(idp);
      expect(delivered(await post(password, authnRequest())).xml).to.contain(':ac:classes:PasswordProtectedTransport<');
    },
  );

  verifies('LOG-29', 'shares a login at /saml/sso with the web UI', async () => {
    await idp.configure({ settings: { require_ui_login: true } });
    const browser = newBrowser(idp);
    expect((await browser.get('/users')).location).to.match(/^\/login/);
    await browser.submit(await post(browser, authnRequest()), { username: 'alice', password: 'wonderland' });
    expect((await browser.get('/users')).status).to.equal(200);
  });

  verifies('WEB-24', 'rejects a login from another site, but not a request without login fields', async () => {
    const fields = { SAMLRequest: encodePost(authnRequest()), username: 'alice', password: 'wonderland' };
    for (const headers of [{ 'Sec-Fetch-Site': 'cross-site' }, { Origin: 'https://evil.example' }]) {
      const events = await idp.audited(async () => {
        const page = await newBrowser(idp).post('/saml/sso', fields, headers);
        expect(page.status).to.equal(403);
        expect(page.headers.get('set-cookie')).to.equal(null);
      });
      expect(events).to.deep.equal([]);
      expect((await post(newBrowser(idp), authnRequest(), headers)).status).to.equal(200);
    }
    const same = { 'Sec-Fetch-Site': 'same-origin', Origin: idp.baseUrl };
    expect(delivered(await newBrowser(idp).post('/saml/sso', fields, same)).status).to.deep.equal(['Success']);
  });
});
