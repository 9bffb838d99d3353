// RequestedAuthnContext, sessions and Cancel at /saml/sso.
import { expect } from 'chai';
import { newBrowser, totpAt } from '#test/support/authorization-flow.ts';
import type { BrowserClient, Page } from '#test/support/browser-client.ts';
import {
  authnRequest,
  delivered,
  encodePost,
  namespaces,
  only,
  redirectQuery,
} from '#test/support/saml/service-provider.ts';
import { verifyWithXmlsec } from '#test/support/saml/verify-signature.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { saml, samlUsers, totpSecret } from '#test/support/worlds.ts';

const sp = 'https://sp.example';
const classes = 'urn:oasis:names:tc:SAML:2.0:ac:classes:';
const [password, timeSync, unspecified] = ['PasswordProtectedTransport', 'TimeSyncToken', 'unspecified'].map(
  (name) => classes + name,
);
const users = { ...samlUsers, carol: { password: 'cabbage', totp_secret: totpSecret } };

describe('/saml/sso: requested authentication contexts', () => {
  let idp: RunningIdp;
  let metadataKey: string;
  before(async () => {
    idp = await startIdp({ world: saml });
    metadataKey = await (await fetch(`${idp.baseUrl}/saml/cert.pem`)).text();
  });
  after(() => idp.stop());

  const configure = (login: object = {}, saml: object = {}) =>
    idp.configure({
      settings: {
        login: { session: 'on', totp: true, ...login },
        saml: { service_providers: [{ entity_id: sp, acs: `${sp}/acs` }], idp_initiated: true, ...saml },
      },
      users,
    });
  const asking = (names: readonly (string | undefined)[], comparison?: string, attributes = '') => {
    const refs = names.map((name) => `<saml:AuthnContextClassRef>${name}</saml:AuthnContextClassRef>`).join('');
    const compared = comparison === undefined ? '' : ` Comparison="${comparison}"`;
    const children = `<samlp:RequestedAuthnContext${compared}>${refs}</samlp:RequestedAuthnContext>`;
    return authnRequest({ acs: undefined, attributes, children });
  };
  const ask = (browser: BrowserClient, xml: string) => browser.get(`/saml/sso?${redirectQuery(xml, 'state')}`);
  const classIn = (page: Page) => only(delivered(page).root, namespaces.assertion, 'AuthnContextClassRef').textContent;
  const login = async (username: 'alice' | 'carol') => {
    const browser = newBrowser(idp);
    const form = await browser.get('/login');
    const secret = username === 'alice' ? 'wonderland' : 'cabbage';
    const next = await browser.submit(form, { username, password: secret });
    if (username === 'carol' && next.forms.some(({ fields }) => fields.some(([name]) => name === 'totp_code'))) {
      await browser.submit(next, { totp_code: totpAt(Date.now()) });
    }
    return browser;
  };
  const refusedAs = async (page: Page) => {
    const { status, root, xml } = delivered(page);
    expect(root.getElementsByTagNameNS(namespaces.assertion, 'Assertion')).to.have.length(0);
    await verifyWithXmlsec(xml, metadataKey);
    return status.join('/');
  };

  verifies('SPM-18', 'compares the classes and the values of login.acr by strength', async () => {
    await configure({ acr: [{ value: 'silver', method: 'password' }] });
    const alice = await login('alice');
    const answers: readonly [readonly (string | undefined)[], string | undefined, string | undefined][] = [
      [[password], undefined, password],
      [[`${classes}Password`], 'exact', `${classes}Password`],
      [['urn:unknown', 'silver'], 'exact', 'silver'],
      [[unspecified], 'exact', unspecified],
      [[unspecified], 'minimum', unspecified],
      [[unspecified], 'better', password],
      [[unspecified], 'maximum', unspecified],
      [[timeSync], 'maximum', password],
      [[unspecified, timeSync], 'maximum', password],
      [[timeSync, password], 'maximum', password],
    ];
    for (const [names, comparison, answer] of answers) {
      expect(classIn(await ask(alice, asking(names, comparison))), `${comparison} ${names}`).to.equal(answer);
    }
    // The request of an unregistered service provider ignores it.
    const stranger = asking(['urn:unknown']).replaceAll(sp, 'https://stranger.example');
    expect(classIn(await ask(alice, stranger))).to.equal(password);
  });

  verifies('SPM-19', 'upgrades a session by the code alone, and keeps its id', async () => {
    await configure({ totp: false });
    const carol = await login('carol');
    expect(classIn(await ask(carol, asking([password])))).to.equal(password);
    await configure();
    const sids = async () =>
      (await idp.api('GET', '/api/sessions?username=carol')).body.sessions.map(({ sid }: { sid: string }) => sid);
    const before = await sids();
    const screen = await ask(carol, asking([timeSync]));
    const names = screen.forms.flatMap(({ fields }) => fields.map(([name]) => name));
    expect(names).to.include('totp_code').and.not.include('password');
    const raised = await carol.submit(screen, { totp_code: totpAt(Date.now()) });
    expect([classIn(raised), delivered(raised).relayState]).to.deep.equal([timeSync, 'state']);
    expect(await sids()).to.deep.equal(before);
    expect(classIn(await ask(carol, asking([timeSync], 'minimum')))).to.equal(timeSync);
  });

  verifies('SPM-20', 'returns a signed status without Assertion for an unreachable context', async () => {
    await configure();
    const alice = await login('alice');
    const none = 'Responder/NoAuthnContext';
    const events = await idp.audited(async () => {
      expect(await refusedAs(await ask(alice, asking([timeSync])))).to.equal(none);
    });
    expect(events.map(({ event_type, status }) => [event_type, status])).to.deep.equal([['saml_request', 'failed']]);
    for (const [names, comparison] of [
      [['urn:unknown'], 'exact'],
      [[timeSync], 'better'],
      [[password], 'stronger'],
      [[], 'exact'],
    ] as const) {
      expect(await refusedAs(await ask(newBrowser(idp), asking(names, comparison))), `${names}`).to.equal(none);
    }
    const declared = asking([password]).replaceAll('AuthnContextClassRef', 'AuthnContextDeclRef');
    expect(await refusedAs(await ask(alice, declared))).to.equal(none);
    await configure({ totp: false });
    const carol = await login('carol');
    await configure();
    expect(await refusedAs(await ask(carol, asking([timeSync], 'exact', 'IsPassive="true"')))).to.equal(
      'Responder/NoPassive',
    );
  });

  verifies(
    'SPM-21',
    'answers IsPassive from a login elsewhere, and renews the session for all on ForceAuthn',
    async () => {
      await configure();
      const alice = await login('alice');
      const passive = authnRequest({ acs: undefined, attributes: 'IsPassive="true"' });
      expect(delivered(await ask(alice, passive)).status).to.deep.equal(['Success']);
      expect(await refusedAs(await ask(newBrowser(idp), passive))).to.equal('Responder/NoPassive');
      const session = async () => (await idp.api('GET', '/api/sessions?username=alice')).body.sessions[0];
      const before = await session();
      await idp.api('PUT', '/api/clock', { offset_seconds: 60 });
      try {
        const form = await ask(alice, authnRequest({ acs: undefined, attributes: 'ForceAuthn="true"' }));
        const forced = await alice.submit(form, { username: 'alice', password: 'wonderland' });
        const statement = only(delivered(forced).root, namespaces.assertion, 'AuthnStatement');
        const after = await session();
        expect(after.sid).to.equal(before.sid);
        expect(Date.parse(statement.getAttribute('AuthnInstant') ?? '')).to.be.greaterThan(
          Date.parse(before.authenticated_at),
        );
        expect(Date.parse(after.authenticated_at)).to.be.greaterThan(Date.parse(before.authenticated_at));
      } finally {
        await idp.api('DELETE', '/api/clock');
      }
    },
  );

  verifies(
    'IDI-08',
    'adds the provider of an unsolicited assertion as participant, and says so in the event',
    async () => {
      await configure();
      const alice = await login('alice');
      const events = await idp.audited(async () => {
        const page = await alice.get(`/saml/idp-initiated?sp=${encodeURIComponent(sp)}`);
        expect(delivered(page).status).to.deep.equal(['Success']);
      });
      expect(events.map(({ event_type, details }) => [event_type, details.idp_initiated])).to.deep.equal([
        ['saml_request', true],
      ]);
      const { sessions } = (await idp.api('GET', '/api/sessions?username=alice')).body;
      expect(JSON.stringify(sessions[0])).to.contain(sp);
      // A login on that page starts a session that other service providers can use.
      const fresh = newBrowser(idp);
      const form = await fresh.get(`/saml/idp-initiated?sp=${encodeURIComponent(sp)}`);
      await fresh.submit(form, { username: 'alice', password: 'wonderland' });
      expect(
        delivered(await ask(fresh, authnRequest({ acs: undefined, attributes: 'IsPassive="1"' }))).status,
      ).to.deep.equal(['Success']);
    },
  );

  verifies('SSO-39', 'returns a signed status to the ACS on Cancel on every login page', async () => {
    await configure();
    const browser = newBrowser(idp);
    const cancelled = async (page: Page) => {
      const form = page.forms.find(({ fields }) => fields.some(([name]) => name === 'cancel'));
      expect(form, page.text).to.not.equal(undefined);
      expect(form?.fields.map(([name]) => name)).to.not.include('password');
      let answer: Page | undefined;
      const events = await idp.audited(async () => {
        answer = await browser.post('/saml/sso', Object.fromEntries(form?.fields ?? []));
      });
      expect(events.map(({ event_type, status, details }) => [event_type, status, details.refusal])).to.deep.equal([
        ['saml_request', 'failed', 'saml_login_cancelled'],
      ]);
      return answer ?? expect.fail('no answer');
    };
    const first = await ask(browser, authnRequest({ acs: undefined }));
    expect(await refusedAs(await cancelled(first))).to.equal('Responder/AuthnFailed');
    const posted = await browser.post('/saml/sso', {
      SAMLRequest: encodePost(authnRequest({ issuer: 'https://stranger.example' })),
      RelayState: 'r',
    });
    const code = await browser.submit(posted, { username: 'carol', password: 'cabbage' });
    // The hidden fields of the code form are no credential, and do not cancel the login either.
    const { fields = [] } = code.forms.find((form) => form.fields.some(([name]) => name === 'totp_code')) ?? {};
    const kept = Object.fromEntries(fields.filter(([name]) => name !== 'totp_code' && name !== 'change_username'));
    expect(Object.keys(kept)).to.include('pending_second_factor').and.not.include('cancel');
    expect((await browser.post('/saml/sso', kept)).text).to.contain('Enter your code');
    expect(await refusedAs(await browser.post('/saml/sso', { ...kept, cancel: '1' }))).to.equal(
      'Responder/AuthnFailed',
    );
    expect((await browser.post('/saml/sso', { ...kept, cancel: '1', totp_code: '1' })).text).to.contain(
      'Enter your code',
    );
    const answer = await cancelled(code);
    expect(delivered(answer).relayState).to.equal('r');
    expect(await refusedAs(answer)).to.equal('Responder/AuthnFailed');
  });
});
