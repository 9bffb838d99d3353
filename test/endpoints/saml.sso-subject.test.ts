// An AuthnRequest with a Subject requests an assertion about that user only (SAML profiles §4.1.4.1). The contract does not
// cover it, but the standard does.
import { expect } from 'chai';
import { loggedIn, newBrowser } from '#test/support/authorization-flow.ts';
import type { BrowserClient } from '#test/support/browser-client.ts';
import { authnRequest, delivered, encodePost, nameIdIn, nameIdPolicy } from '#test/support/saml/service-provider.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { saml } from '#test/support/worlds.ts';

const unknown = ['Requester', 'UnknownPrincipal'];
const persistent = nameIdPolicy('urn:oasis:names:tc:SAML:2.0:nameid-format:persistent');
const subject = (nameId: string) => `<saml:Subject><saml:NameID>${nameId}</saml:NameID></saml:Subject>`;

describe('/saml/sso: a request that names its subject', () => {
  let idp: RunningIdp;
  let alice: BrowserClient;
  before(async () => {
    idp = await startIdp({ world: saml });
    alice = await loggedIn(idp, 'alice');
  });
  after(() => idp.stop());

  const post = (browser: BrowserClient, children: string, attributes = '') =>
    browser.post('/saml/sso', { SAMLRequest: encodePost(authnRequest({ id: '_s', children, attributes })) });

  it('is answered from the session of that user, by name, address or persistent identifier', async () => {
    const pseudonym = nameIdIn(delivered(await post(alice, persistent)).root).value;
    for (const name of ['alice', ' alice@example.com\n', pseudonym]) {
      const { status, root } = delivered(await post(alice, subject(name)));
      expect([...status, nameIdIn(root).value], name).to.deep.equal(['Success', 'alice@example.com']);
    }
  });

  it('returns UnknownPrincipal before a login for an unknown or unreadable name', async () => {
    for (const children of [subject('nobody'), '<saml:Subject><saml:EncryptedID/></saml:Subject>']) {
      for (const browser of [alice, newBrowser(idp)]) {
        const events = await idp.audited(async () => {
          const { status, acs, root } = delivered(await post(browser, children));
          expect([status, acs, root.getAttribute('InResponseTo')]).to.deep.equal([
            unknown,
            'https://sp.example/acs',
            '_s',
          ]);
        });
        expect(events.map(({ event_type, status, details }) => [event_type, status, details])).to.deep.equal([
          ['saml_request', 'failed', { reason: 'Requester/UnknownPrincipal', refusal: 'subject_unknown' }],
        ]);
      }
    }
  });

  it('asks for a login while another user has the session, and accepts only the named user', async () => {
    const browser = await loggedIn(idp, 'alice');
    const form = await post(browser, subject('bob'));
    expect(form.text).to.contain('Password');
    const other = delivered(await browser.submit(form, { username: 'alice', password: 'wonderland' }));
    expect(other.status).to.deep.equal(unknown);
    const right = delivered(await browser.submit(form, { username: 'bob', password: 'builder' }));
    expect([...right.status, nameIdIn(right.root).value]).to.deep.equal(['Success', 'bob@example.org']);
  });

  it('shows no page for a passive request while another user has the session', async () => {
    const { status } = delivered(await post(alice, subject('bob'), 'IsPassive="true"'));
    expect(status).to.deep.equal(['Responder', 'NoPassive']);
  });

  it('accepts any user if it has no identifier', async () => {
    expect(delivered(await post(alice, '<saml:Subject/>')).status).to.deep.equal(['Success']);
  });
});
