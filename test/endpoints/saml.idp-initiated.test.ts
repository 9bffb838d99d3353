// IdP-initiated single sign-on: unsolicited Responses and the page that lists service providers.
import { expect } from 'chai';
import { loggedIn, newBrowser, totpAt } from '#test/support/authorization-flow.ts';
import { type BrowserClient, fieldOf, type Page } from '#test/support/browser-client.ts';
import { faultOf, noFaults, setFault } from '#test/support/faults.ts';
import { all, delivered, nameIdIn, namespaces, only } from '#test/support/saml/service-provider.ts';
import { verifyWithXmlsec } from '#test/support/saml/verify-signature.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { saml, samlUsers, totpSecret } from '#test/support/worlds.ts';

const one = 'https://one.example/sp?a=b&c';
const two = 'https://two.example';

describe('/saml/idp-initiated', () => {
  let idp: RunningIdp;
  let alice: BrowserClient;
  before(async () => {
    idp = await startIdp({ world: saml });
    alice = await loggedIn(idp);
  });
  after(() => idp.stop());

  const users = { ...samlUsers, carol: { password: 'cabbage', totp_secret: totpSecret } };
  const configure = (entry: object = {}, further: object = { idp_initiated: true }, login: object = {}) =>
    idp.configure({
      settings: {
        login: { totp: true, ...login },
        saml: {
          service_providers: [
            {
              entity_id: one,
              title: 'Pay <roll>',
              acs: ['https://one.example/acs', 'https://one.example/other'],
              ...entry,
            },
            { entity_id: two, acs: 'https://two.example/acs' },
            { entity_id: 'https://unwilling.example', acs: 'https://unwilling.example/acs', idp_initiated: false },
            { entity_id: 'https://nowhere.example' },
          ],
          ...further,
        },
      },
      users,
    });
  const path = (sp: string, more = '') => `/saml/idp-initiated?sp=${encodeURIComponent(sp)}${more}`;
  const begin = (sp: string, more = '', browser = alice) => browser.get(path(sp, more));

  verifies('IDI-01', 'does not exist unless enabled', async () => {
    await configure({}, {});
    for (const address of ['/saml/idp-initiated', path(one)]) expect((await alice.get(address)).status).to.equal(404);
    expect((await alice.post('/saml/idp-initiated', { sp: one })).status).to.equal(404);
    await configure();
    expect((await begin(one)).status).to.equal(200);
    // A bare /saml/sso starts nothing in either case.
    expect((await alice.get('/saml/sso')).status).to.equal(400);
  });

  verifies(['IDI-02', 'IDI-03'], 'sends a Response without a request to the default ACS', async () => {
    await configure();
    const { acs, root, xml, status } = delivered(await begin(one));
    expect([acs, status]).to.deep.equal(['https://one.example/acs', ['Success']]);
    expect(xml).to.not.contain('InResponseTo');
    expect(root.getAttribute('Destination')).to.equal(acs);
    const confirmation = only(root, namespaces.assertion, 'SubjectConfirmationData');
    expect(confirmation.getAttribute('Recipient')).to.equal(acs);
    expect(only(root, namespaces.assertion, 'Audience').textContent).to.equal(one);
    expect(nameIdIn(root).value).to.equal('alice@example.com');
    await verifyWithXmlsec(xml, await (await fetch(`${idp.baseUrl}/saml/cert.pem`)).text());

    const own = { name_id_format: 'persistent', sign: 'both', attributes: [{ name: 'x', values: ['y'] }] };
    await configure(own);
    const shaped = delivered(await begin(one));
    expect(nameIdIn(shaped.root).attributes.Format).to.match(/persistent$/);
    expect(all(shaped.root, namespaces.signature, 'Signature')).to.have.length(2);
    expect(all(shaped.root, namespaces.assertion, 'Attribute').map((each) => each.getAttribute('Name'))).to.deep.equal([
      'x',
    ]);

    const stranger = newBrowser(idp);
    const asked = await begin(one, '', stranger);
    expect(asked.text).to.contain('To continue to Pay <roll>');
    const after = await post(stranger, asked, { username: 'bob', password: 'builder' });
    expect(nameIdIn(delivered(after).root).value).to.match(/^_/);
    expect(delivered(await begin(two, '', stranger)).acs).to.equal('https://two.example/acs');
  });

  verifies('IDI-04', 'passes RelayState byte for byte, or the one of the entry, or none', async () => {
    await configure({ relay_state: 'https://one.example/start?x=1&y=ä' });
    const odd = 'a b+c%/?&=#é\u{1F600}"\'<>';
    const relayed = async (sp: string, more: string) => delivered(await begin(sp, more)).relayState;
    expect(await relayed(one, `&RelayState=${encodeURIComponent(odd)}`)).to.equal(odd);
    expect(await relayed(one, '')).to.equal('https://one.example/start?x=1&y=ä');
    expect(await relayed(two, '')).to.equal(undefined);
    const stranger = newBrowser(idp);
    const asked = await begin(one, `&RelayState=${encodeURIComponent(odd)}`, stranger);
    const after = await post(stranger, asked, { username: 'alice', password: 'wonderland' });
    expect(delivered(after).relayState).to.equal(odd);
  });

  verifies('IDI-05', 'answers no other provider, and no parameter chooses another address', async () => {
    await configure();
    for (const [sp, code] of [
      ['https://unknown.example', 'idp_initiated_unknown'],
      [`${two}/`, 'idp_initiated_unknown'],
      ['https://unwilling.example', 'idp_initiated_unwanted'],
      ['https://nowhere.example', 'acs_not_declared'],
    ] as const) {
      const events = await idp.audited(async () => {
        const page = await begin(sp);
        expect([page.status, page.body.includes('SAMLResponse')], sp).to.deep.equal([400, false]);
      });
      expect(events.map(({ event_type, status, details }) => [event_type, status, details.refusal])).to.deep.equal([
        ['saml_request', 'failed', code],
      ]);
    }
    for (const more of ['&acs=https://evil.example', '&AssertionConsumerServiceURL=https://evil.example', '&index=1']) {
      expect(delivered(await begin(one, more)).acs).to.equal('https://one.example/acs');
    }
  });

  verifies('IDI-06', 'lists registered providers on a page after a login', async () => {
    await configure();
    const page = await alice.get('/saml/idp-initiated');
    expect(page.forms.flatMap(({ fields }) => fields.filter(([name]) => name === 'sp'))).to.deep.equal([
      ['sp', one],
      ['sp', two],
      ['sp', 'https://nowhere.example'],
    ]);
    expect(page.text).to.contain('Pay <roll>').and.contain(two).and.not.contain('unwilling');
    const stranger = newBrowser(idp);
    const asked = await stranger.get('/saml/idp-initiated');
    expect(asked.text).to.contain('To choose an application').and.not.contain(two);
    expect((await post(stranger, asked, { username: 'bob', password: 'builder' })).text).to.contain(two);
  });

  verifies('IDI-07', 'binds login and code to provider and RelayState, and leads back on Cancel', async () => {
    await configure();
    const browser = newBrowser(idp);
    const asked = await begin(one, '&RelayState=r', browser);
    expect(asked.body).to.match(/<a [^>]*href="\/saml\/idp-initiated"[^>]*>Cancel</);
    const code = await post(browser, asked, { username: 'carol', password: 'cabbage' });
    const giveUp = code.forms.find(({ fields }) => fields.some(([name]) => name === 'cancel'));
    expect(giveUp?.fields).to.deep.equal([['cancel', '1']]);
    const given = await browser.post('/saml/idp-initiated', Object.fromEntries(giveUp?.fields ?? []));
    expect([given.status, given.location]).to.deep.equal([303, '/saml/idp-initiated']);
    const pending = fieldOf(code, 'pending_second_factor') ?? '';
    const totp_code = totpAt(Date.now());
    for (const fields of [
      { sp: two, RelayState: 'r' },
      { sp: one, RelayState: 's' },
    ]) {
      const page = await browser.post('/saml/idp-initiated', { ...fields, pending_second_factor: pending, totp_code });
      expect(page.body).to.not.contain('SAMLResponse');
    }
    const right = await post(browser, code, { totp_code });
    expect([delivered(right).acs, delivered(right).relayState]).to.deep.equal(['https://one.example/acs', 'r']);
    const cancelled = await browser.post('/saml/idp-initiated', { sp: one, cancel: '1' });
    expect([cancelled.status, cancelled.location]).to.deep.equal([303, '/saml/idp-initiated']);
  });

  for (const session of ['off', 'on'] as const) {
    verifies(['FLT-05', 'IDI-02'], `fires a fault with a username condition, with sessions ${session}`, async () => {
      await configure({}, { idp_initiated: true }, { session });
      const browser = newBrowser(idp);
      const set = (username: string) => setFault(idp, 'saml_expired', { when: { username }, times: 'always' });
      const [aboutCarol, aboutBob] = [await set('carol'), await set('bob')];
      const hits = async () => [(await faultOf(idp, aboutCarol)).hits, (await faultOf(idp, aboutBob)).hits];
      const asked = await begin(two, '', browser);
      const code = await post(browser, asked, { username: 'carol', password: 'cabbage' });
      expect(await hits()).to.deep.equal([0, 0]);
      delivered(await post(browser, code, { totp_code: totpAt(Date.now()) }));
      expect(await hits()).to.deep.equal([1, 0]);
      delivered(await begin(two, '', browser));
      expect(await hits()).to.deep.equal([2, 0]);
      await noFaults(idp);
    });
  }

  /** The form of the page with these fields, as a browser posts it. */
  const post = (browser: BrowserClient, page: Page, fields: Readonly<Record<string, string>>) => {
    const form = page.forms.find(({ action }) => action.endsWith('/saml/idp-initiated'));
    if (form === undefined) throw new Error(`no login form: ${page.text}`);
    const hidden = Object.fromEntries(
      form.fields.filter(([name]) => ['sp', 'RelayState', 'pending_second_factor'].includes(name)),
    );
    return browser.post('/saml/idp-initiated', { ...hidden, ...fields });
  };
});
