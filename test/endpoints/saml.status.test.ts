// What a service provider learns beside the status codes, and the RelayState that it gets back (SRE-09, SRE-10).
import { expect } from 'chai';
import { loggedIn, newBrowser } from '#test/support/authorization-flow.ts';
import type { BrowserClient } from '#test/support/browser-client.ts';
import { alice as credentials } from '#test/support/credentials.ts';
import { attributeQuery, enveloped } from '#test/support/saml/attribute-query.ts';
import {
  all,
  authnRequest,
  delivered,
  encodePost,
  nameIdPolicy,
  namespaces,
  type RequestParts,
  redirectQuery,
  rootOf,
  statusOf,
} from '#test/support/saml/service-provider.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { saml } from '#test/support/worlds.ts';

const registered = 'https://registered.example';

describe('/saml/sso: status and RelayState', () => {
  let idp: RunningIdp;
  let alice: BrowserClient;
  before(async () => {
    idp = await startIdp({ world: saml });
    await idp.configure({
      settings: {
        login: { session: 'on' },
        saml: {
          idp_initiated: true,
          service_providers: [
            { entity_id: registered, acs: `${registered}/acs`, name_id_from: 'attributes.nothing' },
            { entity_id: 'https://relayed.example', acs: 'https://relayed.example/acs', relay_state: 'start' },
          ],
        },
      },
    });
    alice = await loggedIn(idp);
  });
  after(() => idp.stop());

  const messageIn = (xml: string) =>
    all(rootOf(xml), namespaces.protocol, 'StatusMessage').map(({ textContent }) => textContent);

  verifies('SRE-09', 'names the cause of every status that is not Success', async () => {
    const ask = async (parts: RequestParts, browser = alice) => {
      const { status, xml } = delivered(await browser.get(`/saml/sso?${redirectQuery(authnRequest(parts))}`));
      return [status.join('/'), ...messageIn(xml)];
    };
    const subject = '<saml:Subject><saml:NameID>nobody</saml:NameID></saml:Subject>';
    const context =
      '<samlp:RequestedAuthnContext><saml:AuthnContextClassRef>urn:none</saml:AuthnContextClassRef></samlp:RequestedAuthnContext>';
    expect(await ask({})).to.deep.equal(['Success']);
    expect([
      await ask({ attributes: 'IsPassive="true"' }, newBrowser(idp)),
      await ask({ children: nameIdPolicy('urn:other') }),
      await ask({ children: '<samlp:NameIDPolicy SPNameQualifier="urn:other"/>' }),
      await ask({ attributes: 'ProtocolBinding="urn:oasis:names:tc:SAML:2.0:bindings:PAOS"' }),
      await ask({ children: subject }),
      await ask({ issuer: registered, acs: undefined }),
      await ask({ issuer: registered, acs: undefined, attributes: 'AttributeConsumingServiceIndex="7"' }),
      await ask({ issuer: registered, acs: undefined, children: context }),
    ]).to.deep.equal([
      ['Responder/NoPassive', 'IsPassive forbids a login form, and no login of this browser can be used.'],
      ['Requester/InvalidNameIDPolicy', 'The Format of the NameIDPolicy is not supported.'],
      ['Requester/InvalidNameIDPolicy', 'SPNameQualifier of the NameIDPolicy names another service provider.'],
      ['Requester/UnsupportedBinding', 'The ProtocolBinding is not HTTP-POST.'],
      ['Requester/UnknownPrincipal', 'The Subject of the request names no known user.'],
      [
        'Requester/InvalidNameIDPolicy',
        'The user does not have exactly one value at name_id_from of this service provider.',
      ],
      [
        'Requester/RequestUnsupported',
        'This service provider has no attribute_services with the AttributeConsumingServiceIndex.',
      ],
      ['Responder/NoAuthnContext', 'No available login satisfies the RequestedAuthnContext.'],
    ]);

    const query = await fetch(`${idp.baseUrl}/saml/attribute-query`, {
      method: 'POST',
      headers: { 'Content-Type': 'text/xml' },
      body: enveloped(attributeQuery({ nameId: '<a:NameID>nobody</a:NameID>' })),
    });
    const answer = await query.text();
    expect(statusOf(rootOf(answer))).to.deep.equal(['Requester', 'UnknownPrincipal']);
    expect(messageIn(answer)).to.deep.equal(['The NameID of the query belongs to no user.']);
  });

  verifies('SRE-09', 'keeps the status codes as the reason in the audit', async () => {
    const query = redirectQuery(authnRequest({ children: nameIdPolicy('urn:other') }));
    const [entry] = await idp.audited(() => alice.get(`/saml/sso?${query}`));
    expect(entry?.details).to.include({ reason: 'Requester/InvalidNameIDPolicy' });
  });

  const fields = (page: Awaited<ReturnType<BrowserClient['get']>>) =>
    page.forms.flatMap((form) => form.fields.filter(([name]) => name === 'RelayState').map(([, value]) => value));

  verifies('SRE-10', 'returns RelayState exactly if it was sent, also after the login form', async () => {
    for (const [sent, expected] of [
      [undefined, []],
      ['', ['']],
      ['r', ['r']],
    ] as const) {
      const xml = authnRequest();
      expect(fields(await alice.get(`/saml/sso?${redirectQuery(xml, sent)}`))).to.deep.equal(expected);
      const posted = { SAMLRequest: encodePost(xml), ...(sent === undefined ? {} : { RelayState: sent }) };
      expect(fields(await alice.post('/saml/sso', posted))).to.deep.equal(expected);
      const passive = authnRequest({ attributes: 'IsPassive="true"' });
      expect(fields(await newBrowser(idp).get(`/saml/sso?${redirectQuery(passive, sent)}`))).to.deep.equal(expected);

      const browser = newBrowser(idp);
      const [form] = (await browser.get(`/saml/sso?${redirectQuery(xml, sent)}`)).forms;
      const hidden = Object.fromEntries(form?.fields ?? []);
      expect(Object.entries(hidden).filter(([name]) => name === 'RelayState')).to.have.length(expected.length);
      expect(fields(await browser.post('/saml/sso', { ...hidden, ...credentials }))).to.deep.equal(expected);
    }
  });

  verifies('SRE-10', 'sends a RelayState of a login that starts here only from the query or the entry', async () => {
    const begin = async (sp: string, more = '') =>
      fields(await alice.get(`/saml/idp-initiated?sp=${encodeURIComponent(sp)}${more}`));
    const bare = 'https://bare.example';
    await idp.configure({
      settings: {
        login: { session: 'on' },
        saml: {
          idp_initiated: true,
          service_providers: [
            { entity_id: bare, acs: `${bare}/acs` },
            { entity_id: 'https://relayed.example', acs: 'https://relayed.example/acs', relay_state: 'start' },
          ],
        },
      },
    });
    expect(await begin(bare)).to.deep.equal([]);
    expect(await begin(bare, '&RelayState=')).to.deep.equal(['']);
    expect(await begin('https://relayed.example')).to.deep.equal(['start']);
    expect(await begin('https://relayed.example', '&RelayState=other')).to.deep.equal(['other']);
  });
});
