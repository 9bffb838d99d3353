// What the OASIS documents and SOAP 1.1 require of an identity provider where the contract says nothing.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { SigningKey } from '#shared/state/keys/key-ring.ts';
import { loggedIn, newBrowser } from '#test/support/authorization-flow.ts';
import type { BrowserClient, Page } from '#test/support/browser-client.ts';
import { rawRequest } from '#test/support/http.ts';
import { attributeQuery, enveloped } from '#test/support/saml/attribute-query.ts';
import {
  attributesIn,
  authnRequest,
  delivered,
  encodePost,
  nameIdIn,
  nameIdPolicy,
  namespaces,
  only,
  redirectQuery,
  rootOf,
  signedQuery,
  signedXml,
} from '#test/support/saml/service-provider.ts';
import { signingKey } from '#test/support/saml/signing-key.ts';
import { sentences } from '#test/support/sentences.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { saml } from '#test/support/worlds.ts';

const deflate = 'urn:oasis:names:tc:SAML:2.0:bindings:URL-Encoding:DEFLATE';

describe('SAML where the standards decide', () => {
  let idp: RunningIdp;
  let alice: BrowserClient;
  let sp: SigningKey;
  before(async () => {
    sp = await signingKey('sp');
    idp = await startIdp({ world: saml });
    mkdirSync(join(idp.configDirectory, 'sp'));
    writeFileSync(join(idp.configDirectory, 'sp/sp.pem'), sp.certificatePem);
    alice = await loggedIn(idp);
  });
  after(() => idp.stop());

  const post = (xml: string, browser = alice) => browser.post('/saml/sso', { SAMLRequest: encodePost(xml) });
  const get = (query: string) => alice.get(`/saml/sso?${query}`);
  const succeeds = async (answer: Promise<Page>, id: string) => {
    const { root, status } = delivered(await answer);
    expect([...status, root.getAttribute('InResponseTo')]).to.deep.equal(['Success', id]);
  };
  const refusals = async (action: () => Promise<unknown>) =>
    (await idp.audited(action)).map(({ event_type, status, details }) => [event_type, status, details.reason]);

  it('accepts no other encoding in the query than DEFLATE (bindings §3.4.4.1)', async () => {
    const query = redirectQuery(authnRequest({ id: '_e' }));
    for (const strict_binding of [false, true]) {
      await idp.configure({ settings: { saml: { strict_binding } } });
      await succeeds(get(`${query}&SAMLEncoding=${encodeURIComponent(deflate)}`), '_e');
      await succeeds(get(`${query}&SAMLEncoding=`), '_e');
      for (const other of ['urn:x', `SAMLEncoding&SAMLEncoding=${deflate}`, deflate.toLowerCase()]) {
        const events = await refusals(async () => {
          const page = await get(`${query}&SAMLEncoding=${other}`);
          expect([page.status, page.text.includes(`SAMLEncoding must be ${deflate}`)], other).to.deep.equal([
            400,
            true,
          ]);
        });
        expect(events).to.deep.equal([['saml_request', 'failed', 'unknown SAMLEncoding']]);
      }
    }
    await idp.configure();
    const form = { SAMLRequest: encodePost(authnRequest({ id: '_f' })), SAMLEncoding: 'urn:x' };
    await succeeds(alice.post('/saml/sso?SAMLEncoding=urn:x', form), '_f');
  });

  it('accepts an identifier request only in the namespace of the requester (core §3.4.1.1)', async () => {
    const policy = (format: string, qualifier: string) =>
      nameIdPolicy(`urn:oasis:names:tc:SAML:${format}`).replace('/>', ` SPNameQualifier="${qualifier}"/>`);
    const formats = ['1.1:nameid-format:emailAddress', '2.0:nameid-format:persistent', '2.0:nameid-format:transient'];
    for (const format of formats) {
      const own = delivered(await post(authnRequest({ children: policy(format, 'https://sp.example') })));
      expect(own.status, format).to.deep.equal(['Success']);
      // Only the definition of the persistent format defines this attribute (core §2.2.2, §8.3.7).
      const expectedQualifier = format.endsWith('persistent') ? 'https://sp.example' : undefined;
      expect(nameIdIn(own.root).attributes.SPNameQualifier).to.equal(expectedQualifier);
      for (const browser of [alice, newBrowser(idp)]) {
        const events = await refusals(async () => {
          const request = authnRequest({ id: '_n', children: policy(format, 'https://affiliation.example') });
          const { status, root } = delivered(await post(request, browser));
          expect([...status, root.getAttribute('InResponseTo')]).to.deep.equal([
            'Requester',
            'InvalidNameIDPolicy',
            '_n',
          ]);
        });
        expect(events).to.deep.equal([['saml_request', 'failed', 'Requester/InvalidNameIDPolicy']]);
      }
    }
    const nobody = authnRequest({ issuer: undefined, children: policy('2.0:nameid-format:transient', 'urn:a') });
    expect(delivered(await post(nobody)).status).to.deep.equal(['Requester', 'InvalidNameIDPolicy']);
    const empty = authnRequest({ children: policy('2.0:nameid-format:transient', '') });
    expect(delivered(await post(empty)).status).to.deep.equal(['Success']);
  });

  it('requires a Destination in a signed request: rejected with strict_binding, otherwise logged (bindings §3.4.5.2, §3.5.5.2)', async () => {
    const wanted = { want_authn_requests_signed: true, sp_certificates: ['sp/sp.pem'] };
    const bare = authnRequest({ id: '_d' });
    const addressed = authnRequest({ id: '_d', attributes: `Destination="${idp.baseUrl}/saml/sso"` });
    const logged = () => idp.log().match(/signed AuthnRequest without Destination/g)?.length ?? 0;
    await idp.configure({ settings: { saml: wanted } });
    await succeeds(get(signedQuery(addressed, sp)), '_d');
    expect(logged()).to.equal(0);
    await succeeds(get(signedQuery(bare, sp)), '_d');
    await succeeds(post(signedXml(bare, sp)), '_d');
    expect(logged()).to.equal(2);

    await idp.configure({ settings: { saml: { ...wanted, strict_binding: true } } });
    await succeeds(get(signedQuery(addressed, sp)), '_d');
    await succeeds(post(signedXml(addressed, sp)), '_d');
    for (const ask of [() => get(signedQuery(bare, sp)), () => post(signedXml(bare, sp))]) {
      const events = await refusals(async () => {
        const page = await ask();
        expect(page.status).to.equal(400);
        expect(page.text).to.contain(`The Destination of the signed AuthnRequest must be ${idp.baseUrl}/saml/sso.`);
      });
      expect(events).to.deep.equal([['saml_request', 'failed', 'signed AuthnRequest without Destination']]);
    }
    // A signature that is not required is ignored (SAM-24).
    await idp.configure({ settings: { saml: { strict_binding: true } } });
    await succeeds(get(signedQuery(bare, sp)), '_d');
    await idp.configure();
  });

  it('creates no assertion and records nothing on HEAD (RFC 9110 §9.2.1)', async () => {
    const events = await idp.audited(async () => {
      const page = await alice.request(`/saml/sso?${redirectQuery(authnRequest())}`, { method: 'HEAD' });
      expect([page.status, page.headers.get('allow')]).to.deep.equal([405, 'GET, POST, OPTIONS']);
      expect(page.headers.get('set-cookie')).to.equal(null);
    });
    expect(events).to.deep.equal([]);
  });

  it('logs what a stricter identity provider may reject', async () => {
    await succeeds(post(authnRequest({ id: '4711' })), '4711');
    await succeeds(post(authnRequest({ id: '_fine' })), '_fine');
    const lines = idp
      .log()
      .split('\n')
      .filter((line) => line.includes('other identity providers may reject this AuthnRequest'));
    expect(lines.filter((line) => line.includes('which begins with a letter'))).to.have.length(1);
  });

  it('returns no attribute value other than the requested one (core §3.3.2.3)', async () => {
    const attributes = '<a:Attribute Name="entitlements"><a:AttributeValue>E,2</a:AttributeValue></a:Attribute>';
    const both = `${attributes}<a:Attribute Name="email"><a:AttributeValue>else</a:AttributeValue></a:Attribute>`;
    const query = attributeQuery().replace('</p:AttributeQuery>', `${both}</p:AttributeQuery>`);
    const answer = await rawRequest(`${idp.baseUrl}/saml/attribute-query`, { method: 'POST', body: enveloped(query) });
    expect(attributesIn(rootOf(answer.body))).to.deep.equal([['entitlements', ['E,2']]]);
    // Bindings §3.2.3.2: proxies must not cache the response.
    expect([answer.headers['cache-control'], answer.headers.pragma]).to.deep.equal(['no-store', 'no-cache']);
  });

  it('rejects a query for a header block that must be understood, with the fault MustUnderstand (SOAP 1.1 §4.2.3, §4.4.1)', async () => {
    const headed = (query: string) =>
      enveloped(query).replace(
        '<e:Body>',
        '<e:Header><w:Security xmlns:w="urn:wsse" e:mustUnderstand="1"/></e:Header><e:Body>',
      );
    const events = await idp.audited(async () => {
      for (const [query, code, text] of [
        [attributeQuery(), 'soap:MustUnderstand', /Security has mustUnderstand/],
        // The errors of SAM-60 come first.
        [attributeQuery({ subject: '' }), 'soap:Client', /Subject/],
      ] as const) {
        const body = headed(query);
        const answer = await rawRequest(`${idp.baseUrl}/saml/attribute-query`, { method: 'POST', body });
        const fault = only(rootOf(answer.body), namespaces.soap, 'Fault');
        expect([answer.status, fault.getElementsByTagName('faultcode')[0]?.textContent]).to.deep.equal([500, code]);
        expect(fault.getElementsByTagName('faultstring')[0]?.textContent).to.match(text);
      }
    });
    expect(events.map(({ status, details }) => [status, details.request_id, details.reason])).to.deep.equal([
      ['failed', '_q', 'The header block Security has mustUnderstand, and this server does not support it.'],
      ['failed', '_q', sentences.attributeQueryWithoutSubject],
    ]);
  });
});
