import { deflateRawSync } from 'node:zlib';
import { expect } from 'chai';
import { loggedIn, newBrowser } from '#test/support/authorization-flow.ts';
import type { BrowserClient, Page } from '#test/support/browser-client.ts';
import {
  authnRequest,
  delivered,
  encodePost,
  encodeRedirect,
  namespaces,
  only,
  redirectQuery,
} from '#test/support/saml/service-provider.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { saml } from '#test/support/worlds.ts';

const strict = { saml: { strict_binding: true } };

describe('/saml/sso: reading the AuthnRequest', () => {
  let idp: RunningIdp;
  let alice: BrowserClient;
  before(async () => {
    idp = await startIdp({ world: saml });
    alice = await loggedIn(idp);
  });
  after(() => idp.stop());
  beforeEach(() => idp.configure());

  const post = (fields: Record<string, string>) => alice.post('/saml/sso', fields);
  const get = (query: string) => alice.get(`/saml/sso?${query}`);
  const inResponseTo = (page: Page) => delivered(page).root.getAttribute('InResponseTo');
  const refused = async (answer: Promise<Page>, text: RegExp) => {
    const page = await answer;
    expect(page.status, page.text).to.equal(400);
    expect(page.text).to.match(text);
  };

  verifies('SAM-11', 'rejects a missing SAMLRequest without a login or audit entry', async () => {
    const events = await idp.audited(async () => {
      await refused(get(''), /SAMLRequest/);
      await refused(get('RelayState=x'), /SAMLRequest/);
      await refused(post({ SAMLRequest: '' }), /SAMLRequest/);
      await refused(post({ username: 'alice', password: 'wonderland' }), /SAMLRequest/);
    });
    expect(events).to.deep.equal([]);
  });

  verifies('SAM-12', 'reads message and RelayState from the form first, otherwise from the query', async () => {
    const inForm = encodePost(authnRequest({ id: '_form' }));
    const inQuery = redirectQuery(authnRequest({ id: '_query' }), 'query');
    const both = await alice.post(`/saml/sso?${inQuery}`, { SAMLRequest: inForm, RelayState: 'form' });
    expect([inResponseTo(both), delivered(both).relayState]).to.deep.equal(['_form', 'form']);
    const queryOnly = await alice.post(`/saml/sso?${inQuery}`, { other: '1' });
    expect([inResponseTo(queryOnly), delivered(queryOnly).relayState]).to.deep.equal(['_query', 'query']);
    expect(delivered(await post({ SAMLRequest: inForm })).relayState).to.equal(undefined);
  });

  verifies('SAM-13', 'judges the binding that saml_original_verb names', async () => {
    await idp.configure({ settings: strict });
    const deflated = encodeRedirect(authnRequest({ id: '_1' }));
    const plain = encodePost(authnRequest({ id: '_2' }));
    expect(inResponseTo(await post({ SAMLRequest: deflated, saml_original_verb: 'get' }))).to.equal('_1');
    expect(inResponseTo(await post({ SAMLRequest: plain, saml_original_verb: 'Post' }))).to.equal('_2');
    expect(inResponseTo(await post({ SAMLRequest: plain }))).to.equal('_2');
    await refused(post({ SAMLRequest: deflated }), /an XML document in base64/);
    await refused(post({ SAMLRequest: plain, saml_original_verb: 'GET' }), /DEFLATE/);

    const events = await idp.audited(async () => {
      const login = { SAMLRequest: plain, username: 'alice', password: 'wonderland' };
      for (const verb of ['PUT', '', 'GET ', 'HEAD']) {
        const page = await newBrowser(idp).post('/saml/sso', { ...login, saml_original_verb: verb });
        expect(page.status, verb).to.equal(400);
        expect(page.headers.get('set-cookie')).to.equal(null);
      }
    });
    expect(events).to.deep.equal([]);
  });

  verifies('SAM-14', 'accepts DEFLATE and plain XML in either binding without strict_binding', async () => {
    for (const encode of [encodePost, encodeRedirect]) {
      const SAMLRequest = encode(authnRequest({ id: '_any' }));
      expect(inResponseTo(await post({ SAMLRequest }))).to.equal('_any');
      expect(inResponseTo(await get(new URLSearchParams({ SAMLRequest }).toString()))).to.equal('_any');
    }
    const spaced = `\n\t ${authnRequest({ id: '_any' })}`;
    expect(inResponseTo(await post({ SAMLRequest: encodePost(spaced) }))).to.equal('_any');
  });

  verifies('SAM-15', 'requires the encoding of the binding with strict_binding', async () => {
    await idp.configure({ settings: strict });
    const xml = authnRequest({ id: '_strict' });
    expect(inResponseTo(await get(redirectQuery(xml)))).to.equal('_strict');
    const wrapped = encodePost(xml).replace(/.{64}/g, '$&\r\n');
    expect(inResponseTo(await post({ SAMLRequest: wrapped }))).to.equal('_strict');
    const events = await idp.audited(async () => {
      await refused(
        get(new URLSearchParams({ SAMLRequest: encodePost(xml) }).toString()),
        /DEFLATE.*form of the HTTP-POST/,
      );
      await refused(post({ SAMLRequest: encodeRedirect(xml) }), /an XML document in base64.*form of the HTTP-Redirect/);
      await refused(post({ SAMLRequest: '!!!' }), /not base64/);
      await refused(post({ SAMLRequest: encodePost('<a') }), /line 1/);
      await refused(get('SAMLRequest=AAAA'), /DEFLATE/);
    });
    const [mistaken] = events;
    expect(mistaken?.details.problem).to.match(/form of the HTTP-POST/);
    expect(
      events.map(({ event_type, status, details: { reason, refusal } }) => [event_type, status, { reason, refusal }]),
    ).to.deep.equal(
      Array.from({ length: 5 }, () => [
        'saml_request',
        'failed',
        { reason: 'unreadable SAMLRequest', refusal: 'saml_request_unreadable' },
      ]),
    );
  });

  verifies('SAM-16', 'treats an unreadable message as an empty request without strict_binding', async () => {
    await idp.configure({
      settings: { saml: { default_acs_url: 'https://default.example/acs' }, oauth: { audience: 'aud' } },
    });
    for (const SAMLRequest of ['%%%', 'AAAA', encodePost('not xml'), encodePost('<a><b></a>'), encodePost('\u0000')]) {
      const answer = delivered(await post({ SAMLRequest, RelayState: 'kept' }));
      expect(answer.acs, SAMLRequest).to.equal('https://default.example/acs');
      expect(answer.relayState).to.equal('kept');
      expect(answer.root.hasAttribute('InResponseTo')).to.equal(false);
      expect(only(answer.root, namespaces.assertion, 'Audience').textContent).to.equal('aud');
    }
    expect(idp.log()).to.contain('a SAMLRequest cannot be read');
    const page = await newBrowser(idp).post('/saml/sso', { SAMLRequest: '%%%' });
    expect(page.text).to.contain('Password');
  });

  verifies('SAM-17', 'rejects document types and data that inflates above 1 MiB', async () => {
    const xml = authnRequest({ id: '_bad', acs: 'https://evil.example/acs' });
    const bomb = deflateRawSync(Buffer.alloc(10 * 1024 * 1024, 0x20)).toString('base64');
    expect(bomb.length).to.be.below(20_000);
    const tooLong = deflateRawSync(Buffer.from(xml + ' '.repeat(1024 * 1024))).toString('base64');
    const unreadable = [
      encodePost(`<!DOCTYPE a>${xml}`),
      encodePost(
        `<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/passwd">]>${xml.replace('</saml:Issuer>', '&e;</saml:Issuer>')}`,
      ),
      encodePost(`<!DOCTYPE a [${'<!ENTITY a "aaaaaaaaaa">'.repeat(20)}]>${xml}`),
      bomb,
      tooLong,
    ];
    for (const SAMLRequest of unreadable) {
      const answer = delivered(await post({ SAMLRequest }));
      expect(answer.acs).to.equal('http://localhost:8080/login/saml2/sso/samlIdp');
      expect(answer.root.hasAttribute('InResponseTo')).to.equal(false);
    }
    await idp.configure({ settings: strict });
    for (const SAMLRequest of unreadable) {
      for (const saml_original_verb of ['GET', 'POST']) {
        await refused(post({ SAMLRequest, saml_original_verb }), /SAMLRequest must be/);
      }
    }
    const query = `<soap:Envelope xmlns:soap="${namespaces.soap}"><soap:Body/></soap:Envelope>`;
    const answer = await fetch(`${idp.baseUrl}/saml/attribute-query`, { method: 'POST', body: `<!DOCTYPE a>${query}` });
    expect(answer.status).to.equal(500);
    expect(await answer.text()).to.contain('well-formed');
  });

  verifies('SAM-18', 'checks root element and Version only with strict_binding', async () => {
    const others = [
      authnRequest({ id: '_x' }).replaceAll('samlp:AuthnRequest', 'samlp:LogoutRequest'),
      authnRequest({ id: '_x' }).replace('SAML:2.0:protocol', 'SAML:1.0:protocol'),
      authnRequest({ id: '_x', version: '1.1' }),
      authnRequest({ id: '_x' }).replace('Version="2.0"', ''),
    ];
    for (const xml of others) expect(inResponseTo(await post({ SAMLRequest: encodePost(xml) }))).to.equal('_x');
    await idp.configure({ settings: strict });
    for (const xml of others) await refused(post({ SAMLRequest: encodePost(xml) }), /AuthnRequest/);
  });

  verifies('SAM-19', 'rejects a Destination elsewhere with strict_binding, and otherwise logs it', async () => {
    const to = (destination: string) =>
      post({
        SAMLRequest: encodePost(authnRequest({ id: '_d', attributes: `Destination="${destination}"` })),
      });
    expect(inResponseTo(await to('https://other.example/saml/sso'))).to.equal('_d');
    expect(idp.log()).to.contain('wrong Destination in AuthnRequest');
    await idp.configure({ settings: strict });
    expect(inResponseTo(await to(`${idp.baseUrl}/saml/sso`))).to.equal('_d');
    expect(inResponseTo(await to(''))).to.equal('_d');
    await refused(to('https://other.example/saml/sso'), /Destination/);
    await refused(to(`${idp.baseUrl}/saml/sso/`), /Destination/);
  });

  verifies('SAM-20', 'responds to the address of the request, otherwise to the configured one', async () => {
    const acsOf = async (xml: string) => delivered(await post({ SAMLRequest: encodePost(xml) })).acs;
    expect(await acsOf(authnRequest({ acs: 'http://nobody.registered.example:81/acs' }))).to.equal(
      'http://nobody.registered.example:81/acs',
    );
    const indexed = { acs: undefined, attributes: 'AssertionConsumerServiceIndex="3"' };
    expect(await acsOf(authnRequest(indexed))).to.equal('http://localhost:8080/login/saml2/sso/samlIdp');
    await idp.configure({ settings: { saml: { default_acs_url: 'https://default.example/acs' } } });
    expect(await acsOf(authnRequest({ acs: undefined }))).to.equal('https://default.example/acs');
  });

  verifies('SAM-21', 'rejects a request without a usable address', async () => {
    const events = await idp.audited(async () => {
      for (const acs of [
        '/acs',
        'acs',
        'javascript:alert(1)',
        'ftp://sp.example/acs',
        'https://',
        'http:sp.example',
        'https://[',
        'http:///acs',
        'https://\\acs',
      ]) {
        await refused(post({ SAMLRequest: encodePost(authnRequest({ acs })) }), /absolute http or https/);
      }
      await idp.configure({ settings: { saml: { default_acs_url: '' } } });
      await refused(post({ SAMLRequest: encodePost(authnRequest({ acs: undefined })) }), /default_acs_url is empty/);
    });
    expect(events.map(({ event_type, status }) => `${event_type} ${status}`)).to.deep.equal(
      Array.from({ length: 10 }, () => 'saml_request failed'),
    );
    expect(events[0]?.details).to.deep.equal({
      reason: 'invalid assertion consumer service URL',
      refusal: 'assertion_consumer_service_wrong',
    });
    expect(events[9]?.details).to.deep.equal({
      reason: 'the assertion consumer service URL is missing',
      refusal: 'assertion_consumer_service_missing',
    });
  });

  verifies(['SAM-22', 'SAM-53'], 'rejects another ProtocolBinding than HTTP-POST at the ACS', async () => {
    const withBinding = (binding: string) =>
      encodePost(
        authnRequest({ id: '_b', attributes: `ProtocolBinding="urn:oasis:names:tc:SAML:2.0:bindings:${binding}"` }),
      );
    expect(delivered(await post({ SAMLRequest: withBinding('HTTP-POST') })).status).to.deep.equal(['Success']);
    const events = await idp.audited(async () => {
      const answer = delivered(await newBrowser(idp).post('/saml/sso', { SAMLRequest: withBinding('HTTP-Artifact') }));
      expect(answer.status).to.deep.equal(['Requester', 'UnsupportedBinding']);
      expect(answer.acs).to.equal('https://sp.example/acs');
      expect(answer.root.getAttribute('Destination')).to.equal('https://sp.example/acs');
      expect(answer.root.getAttribute('InResponseTo')).to.equal('_b');
    });
    expect(events.map(({ status, details }) => [status, details])).to.deep.equal([
      ['failed', { reason: 'Requester/UnsupportedBinding', refusal: 'protocol_binding_not_supported' }],
    ]);
  });

  verifies('SAM-23', 'ignores contexts, scoping, conditions, extensions and AllowCreate', async () => {
    const children =
      '<samlp:Extensions><x xmlns="urn:x"/></samlp:Extensions>' +
      '<samlp:NameIDPolicy AllowCreate="false"/>' +
      '<saml:Conditions NotOnOrAfter="2001-01-01T00:00:00Z"><saml:AudienceRestriction><saml:Audience>urn:other</saml:Audience></saml:AudienceRestriction></saml:Conditions>' +
      '<samlp:RequestedAuthnContext Comparison="minimum"><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:X509</saml:AuthnContextClassRef></samlp:RequestedAuthnContext>' +
      '<samlp:Scoping ProxyCount="0"><samlp:IDPList><samlp:IDPEntry ProviderID="urn:other"/></samlp:IDPList></samlp:Scoping>';
    const { root, status } = delivered(await post({ SAMLRequest: encodePost(authnRequest({ children })) }));
    expect(status).to.deep.equal(['Success']);
    expect(only(root, namespaces.assertion, 'Audience').textContent).to.equal('https://sp.example');
    expect(only(root, namespaces.assertion, 'NameID').textContent).to.equal('alice@example.com');
    expect(only(root, namespaces.assertion, 'AuthnContextClassRef').textContent).to.match(
      /PasswordProtectedTransport$/,
    );
  });
});
