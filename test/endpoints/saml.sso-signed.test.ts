import { sign } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { SigningKey } from '#shared/state/keys/key-ring.ts';
import { loggedIn, newBrowser } from '#test/support/authorization-flow.ts';
import { type BrowserClient, fieldOf, type Page } from '#test/support/browser-client.ts';
import {
  authnRequest,
  delivered,
  encodePost,
  encodeRedirect,
  enveloped,
  exclusive,
  redirectQuery,
  signedQuery,
  signedXml,
} from '#test/support/saml/service-provider.ts';
import { signingKey } from '#test/support/saml/signing-key.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { saml } from '#test/support/worlds.ts';

const c14n10 = 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315';
const credentials = { username: 'alice', password: 'wonderland' };

describe('/saml/sso: signed requests', () => {
  let idp: RunningIdp;
  let sp: SigningKey;
  let stranger: SigningKey;
  let alice: BrowserClient;

  const wanted = (paths: readonly string[] = ['sp/sp.pem']) => ({
    saml: { want_authn_requests_signed: true, sp_certificates: [...paths] },
  });

  before(async () => {
    [sp, stranger] = [await signingKey('sp'), await signingKey('stranger')];
    idp = await startIdp({ world: saml });
    const directory = join(idp.configDirectory, 'sp');
    mkdirSync(directory);
    writeFileSync(join(directory, 'sp.pem'), sp.certificatePem);
    writeFileSync(join(directory, 'other.pem'), (await signingKey('idp')).certificatePem);
    writeFileSync(join(directory, 'broken.pem'), 'no certificate');
    await idp.configure({ settings: wanted() });
    alice = await loggedIn(idp);
  });
  after(() => idp.stop());

  const accepted = async (answer: Promise<Page>, id: string) => {
    const page = await answer;
    expect(page.status, page.text).to.equal(200);
    const { root, status } = delivered(page);
    expect([...status, root.getAttribute('InResponseTo')]).to.deep.equal(['Success', id]);
  };
  const refused = async (answer: () => Promise<Page>, reason: RegExp) => {
    const events = await idp.audited(async () => {
      const page = await answer();
      expect(page.status, page.text).to.equal(400);
      expect(page.headers.get('set-cookie'), 'the session is unchanged').to.equal(null);
      expect(page.body).to.not.contain('SAMLResponse');
    });
    expect(events.map(({ event_type, status }) => `${event_type} ${status}`)).to.deep.equal(['saml_request failed']);
    expect(events[0]?.details.reason).to.match(reason);
  };
  const get = (query: string, browser = alice) => browser.get(`/saml/sso?${query}`);
  const post = (xml: string, browser = alice) => browser.post('/saml/sso', { SAMLRequest: encodePost(xml) });

  verifies('SAM-24', 'ignores valid and invalid signatures with the setting off', async () => {
    await idp.configure();
    await accepted(get(`${redirectQuery(authnRequest({ id: '_1' }))}&SigAlg=nonsense&Signature=AAAA`), '_1');
    await accepted(get(signedQuery(authnRequest({ id: '_2' }), stranger)), '_2');
    await accepted(post(signedXml(authnRequest({ id: '_3' }), stranger)), '_3');
    await accepted(
      post(
        signedXml(authnRequest({ id: '_4' }), sp)
          .replace('_4', '_5')
          .replace('ID="_4"', 'ID="_5"'),
      ),
      '_5',
    );
    await idp.configure({ settings: wanted() });
  });

  verifies('SAM-25', 'requires Signature and SigAlg of a redirect over the values as transmitted', async () => {
    await accepted(get(signedQuery(authnRequest({ id: '_1' }), sp)), '_1');
    await accepted(get(signedQuery(authnRequest({ id: '_2' }), sp, { relayState: '' })), '_2');
    const odd = 'a b+c%/?&=#\u00e9\u{1F600}';
    const page = await get(signedQuery(authnRequest({ id: '_3' }), sp, { relayState: odd }));
    expect(delivered(page).relayState).to.equal(odd);
    for (const [uri, digest] of [
      ['http://www.w3.org/2001/04/xmldsig-more#rsa-sha512', 'sha512'],
      ['http://www.w3.org/2000/09/xmldsig#rsa-sha1', 'sha1'],
    ] as const) {
      await accepted(get(signedQuery(authnRequest({ id: '_4' }), sp, { algorithm: uri, digest })), '_4');
    }
    // The order of the parameters in the address differs from the signed order.
    const shuffled = signedQuery(authnRequest({ id: '_5' }), sp, { relayState: 'r' })
      .split('&')
      .reverse()
      .join('&');
    await accepted(get(shuffled), '_5');
    // The sender may choose lower-case escapes, and signs them as such.
    const lower = (text: string) => text.replace(/%[0-9A-F]{2}/g, (octet) => octet.toLowerCase());
    const unsigned = lower(
      `${redirectQuery(authnRequest({ id: '_6' }), 'a/b')}&SigAlg=${encodeURIComponent('http://www.w3.org/2001/04/xmldsig-more#rsa-sha256')}`,
    );
    const signature = sign('sha256', Buffer.from(unsigned), sp.privateKey).toString('base64');
    await accepted(get(`${unsigned}&Signature=${encodeURIComponent(signature)}`), '_6');

    await refused(() => get(redirectQuery(authnRequest())), /Signature is missing/);
    const complete = signedQuery(authnRequest(), sp);
    await refused(() => get(complete.replace(/&SigAlg=[^&]+/, '')), /SigAlg is missing/);
    await refused(() => get(complete.replace(/&Signature=.*/, '&Signature=')), /Signature is missing/);
    await refused(() => get(signedQuery(authnRequest(), stranger)), /no certificate of this service provider verifies/);
    await refused(
      () => get(signedQuery(authnRequest(), sp, { algorithm: 'http://www.w3.org/2000/09/xmldsig#hmac-sha1' })),
      /SigAlg/,
    );
  });

  verifies('SAM-26', 'accepts a certificate as text instead of its path', async () => {
    await idp.configure({ settings: wanted([sp.certificatePem]) });
    await accepted(get(signedQuery(authnRequest({ id: '_1' }), sp)), '_1');
    await refused(() => get(signedQuery(authnRequest(), stranger)), /no certificate of this service provider verifies/);
    await idp.configure({ settings: wanted() });
  });

  verifies('SAM-26', 'requires an enveloped signature of any known certificate for a POST', async () => {
    await accepted(post(signedXml(authnRequest({ id: '_1' }), sp)), '_1');
    await accepted(post(signedXml(authnRequest({ id: '_2' }), sp, { c14n: c14n10 })), '_2');
    await accepted(post(signedXml(authnRequest({ id: '_3' }), sp, { emptyUri: true })), '_3');
    const c14n11 = 'http://www.w3.org/2006/12/xml-c14n11';
    await accepted(post(signedXml(authnRequest({ id: '_11' }), sp, { c14n: c14n11 })), '_11');
    const sha512 = {
      algorithm: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
      digest: 'http://www.w3.org/2001/04/xmlenc#sha512',
    };
    await accepted(post(signedXml(authnRequest({ id: '_4' }), sp, sha512)), '_4');
    const prefixed = authnRequest({ id: '_5', attributes: 'xmlns:xs="urn:xs"' });
    await accepted(post(signedXml(prefixed, sp, { prefixList: ['xs'] })), '_5');

    await refused(() => post(authnRequest()), /no enveloped signature/);
    await refused(() => post(signedXml(authnRequest(), stranger)), /no certificate of this service provider verifies/);

    await idp.configure({ settings: wanted(['sp/missing.pem', 'sp/broken.pem', 'sp/other.pem', 'sp/sp.pem']) });
    await accepted(post(signedXml(authnRequest({ id: '_6' }), sp)), '_6');
    await accepted(get(signedQuery(authnRequest({ id: '_7' }), sp)), '_7');
    expect(idp.log())
      .to.match(/missing\.pem.*cannot be used/)
      .and.to.match(/broken\.pem.*cannot be used/);
    for (const paths of [[], ['sp/missing.pem']]) {
      await idp.configure({ settings: wanted(paths) });
      await refused(() => post(signedXml(authnRequest(), sp)), /no usable certificate/);
      await refused(() => get(signedQuery(authnRequest(), sp)), /no usable certificate/);
    }
    await idp.configure({ settings: wanted() });
  });

  verifies(
    'SAM-27',
    'accepts only a signature with one Reference to the root, and reads only that element',
    async () => {
      const signed = signedXml(authnRequest({ id: '_1', issuer: 'https://honest.example' }), sp);
      // The text on both sides of a comment is one string for signature and reader.
      const commented = delivered(await post(signed.replace('https://honest', 'https://<!-- x -->honest')));
      expect(commented.root.getElementsByTagName('saml2:Audience')[0]?.textContent).to.equal('https://honest.example');

      const body = signed.replace(/<\?xml.*?\?>/, '');
      await refused(() => post(`<wrapper ID="_w">${body}</wrapper>`), /no enveloped signature/);
      const signature = /<ds:Signature .*<\/ds:Signature>/s.exec(signed)?.[0] ?? '';
      const evil = authnRequest({ id: '_evil', acs: 'https://evil.example/acs' });
      // The signed original is inside Extensions, and its signature moves to an evil root.
      await refused(
        () =>
          post(
            evil.replace(
              '</saml:Issuer>',
              `</saml:Issuer>${signature}<samlp:Extensions>${body.replace(signature, '')}</samlp:Extensions>`,
            ),
          ),
        /does not point to the root element/,
      );
      await refused(
        () =>
          post(
            evil
              .replace('_evil', '_1')
              .replace(
                '</saml:Issuer>',
                `</saml:Issuer>${signature}<samlp:Extensions>${body.replace(signature, '')}</samlp:Extensions>`,
              ),
          ),
        /not unique/,
      );
      await refused(() => post(signed.replace(signature, signature + signature)), /exactly one Signature/);
      const partial = signedXml(
        authnRequest({ children: '<samlp:Extensions ID="_part"><x/></samlp:Extensions>' }),
        sp,
        { reference: "//*[local-name()='Extensions']" },
      );
      await refused(() => post(partial), /does not point to the root element/);
      const filtered = signed.replace(
        `<ds:Transform Algorithm="${exclusive}"/>`,
        '<ds:Transform Algorithm="http://www.w3.org/TR/1999/REC-xpath-19991116"><ds:XPath>1=1</ds:XPath></ds:Transform>',
      );
      expect(filtered).to.not.equal(signed);
      await refused(() => post(filtered), /transforms/);
    },
  );

  verifies('SAM-28', 'continues the login form of a verified redirect only in its own browser', async () => {
    const browser = newBrowser(idp);
    const form = await get(signedQuery(authnRequest({ id: '_r' }), sp, { relayState: 'state' }), browser);
    expect(form.text).to.contain('Password');
    expect(fieldOf(form, 'saml_original_verb')).to.equal('GET');
    const fields = {
      SAMLRequest: fieldOf(form, 'SAMLRequest') ?? '',
      RelayState: fieldOf(form, 'RelayState') ?? '',
      saml_original_verb: 'GET',
      ...credentials,
    };
    const no = /did not send this signed request/;
    await refused(() => newBrowser(idp).post('/saml/sso', fields), no);
    await refused(() => alice.post('/saml/sso', fields), no);
    await refused(() => browser.post('/saml/sso', { ...fields, RelayState: 'other' }), no);
    await refused(() => browser.post('/saml/sso', { ...fields, SAMLRequest: encodeRedirect(authnRequest()) }), no);
    const { saml_original_verb: _verb, ...asPost } = fields;
    await refused(() => browser.post('/saml/sso', asPost), /no enveloped signature/);
    await accepted(browser.post('/saml/sso', fields), '_r');
  });

  verifies(['TIM-13', 'TIM-20'], 'keeps a verified redirect for 600 s of the test clock', async () => {
    const begin = async (id: string) => {
      const browser = newBrowser(idp);
      return { browser, form: await get(signedQuery(authnRequest({ id }), sp), browser) };
    };
    const move = async (body: object) => expect((await idp.api('PUT', '/api/clock', body)).status).to.equal(200);
    try {
      await move({ at: '2031-03-04T12:00:00Z', frozen: true });
      const [early, late] = [await begin('_early'), await begin('_late')];
      await move({ advance_seconds: 599 });
      await accepted(early.browser.submit(early.form, credentials), '_early');
      await move({ advance_seconds: 1 });
      await refused(() => late.browser.submit(late.form, credentials), /did not send this signed request/);
      await move({ advance_seconds: -600 });
      await refused(() => late.browser.submit(late.form, credentials), /did not send this signed request/);
    } finally {
      await idp.api('DELETE', '/api/clock');
    }
  });

  verifies('SAM-29', 'keeps ten requests of a browser, and drops the oldest first', async () => {
    const browser = newBrowser(idp);
    const forms: Page[] = [];
    for (let count = 0; count < 11; count += 1) {
      forms.push(
        await get(signedQuery(authnRequest({ id: `_n${count}`, attributes: 'ForceAuthn="true"' }), sp), browser),
      );
    }
    const [first, second] = forms;
    const last = forms.at(-1);
    if (first === undefined || second === undefined || last === undefined) throw new Error('no forms');
    await refused(() => browser.submit(first, credentials), /did not send this signed request/);
    await accepted(browser.submit(second, credentials), '_n1');
    await accepted(browser.submit(last, credentials), '_n10');
  });

  verifies('SAM-30', 'keeps the session after a rejection', async () => {
    await refused(() => get(redirectQuery(authnRequest())), /Signature is missing/);
    await refused(() => post(authnRequest()), /no enveloped signature/);
    const login = { SAMLRequest: encodePost(authnRequest()), ...credentials };
    await refused(() => newBrowser(idp).post('/saml/sso', login), /no enveloped signature/);
    await accepted(get(signedQuery(authnRequest({ id: '_still' }), sp)), '_still');
  });

  // The contract requires 400 and one failed event for each, in bounded time.
  describe('hostile requests', () => {
    const good = () => signedXml(authnRequest({ id: '_h' }), sp);
    const goodQuery = () => signedQuery(authnRequest({ id: '_h' }), sp, { relayState: 'r' });
    const signatureOf = (xml: string) => /<ds:Signature .*<\/ds:Signature>/s.exec(xml)?.[0] ?? '';
    const posts: Readonly<Record<string, () => string>> = {
      'a changed attribute': () => good().replace('ID="_h"', 'ID="_h" ForceAuthn="true"'),
      'a changed ACS': () => good().replace('https://sp.example/acs', 'https://evil.example/acs'),
      'a changed Issuer': () => good().replace('>https://sp.example<', '>https://evil.example<'),
      'an added child': () => good().replace('</samlp:AuthnRequest>', '<samlp:NameIDPolicy/></samlp:AuthnRequest>'),
      'a comment in the ID': () => good().replace('ID="_h"', 'ID="_<!-- -->h"'),
      'a second ID attribute in another namespace': () =>
        good().replace('ID="_h"', 'xmlns:e="urn:e" e:ID="_h" ID="_h"'),
      'another element with the same ID': () =>
        good().replace('</samlp:AuthnRequest>', '<x Id="_h"/></samlp:AuthnRequest>'),
      'a signature without Reference': () => good().replace(/<ds:Reference.*<\/ds:Reference>/s, ''),
      'two References': () => good().replace(/<ds:Reference.*<\/ds:Reference>/s, '$&$&'),
      'two SignedInfo': () => good().replace(/<ds:SignedInfo>.*<\/ds:SignedInfo>/s, '$&$&'),
      'a signature inside another element': () =>
        good()
          .replace(signatureOf(good()), '')
          .replace('</samlp:AuthnRequest>', `<x>${signatureOf(good())}</x></samlp:AuthnRequest>`),
      'a signature as the root': () => signatureOf(good()),
      'an empty SignatureValue': () => good().replace(/(<ds:SignatureValue>)[^<]+/, '$1'),
      'a changed DigestValue': () => good().replace(/(<ds:DigestValue>)./, '$1A'),
      'a comment in the DigestValue': () =>
        good()
          .replace(/(<ds:DigestValue>)/, '$1AAAA<!--')
          .replace('</ds:DigestValue>', '--></ds:DigestValue>'),
      'an HMAC with the certificate as its key': () =>
        good().replace('xmldsig-more#rsa-sha256', 'xmldsig-more#hmac-sha256'),
      'an unknown digest': () => good().replace('xmlenc#sha256', 'xmldsig-more#md5'),
      'the MD5 of old': () => good().replace('xmldsig-more#rsa-sha256', 'xmldsig-more#rsa-md5'),
      'canonicalization with comments': () => good().replaceAll(exclusive, `${exclusive}WithComments`),
      'an XSLT transform': () =>
        good().replace(
          `<ds:Transform Algorithm="${enveloped}"/>`,
          '<ds:Transform Algorithm="http://www.w3.org/TR/1999/REC-xslt-19991116"><x:stylesheet xmlns:x="http://www.w3.org/1999/XSL/Transform"/></ds:Transform>',
        ),
      'a Reference to a file': () => good().replace('URI="#_h"', 'URI="file:///etc/passwd"'),
      'a Reference to the network': () => good().replace('URI="#_h"', 'URI="http://127.0.0.1:9/x"'),
      'an XPointer': () => good().replace('URI="#_h"', 'URI="#xpointer(/)"'),
      'quotes in the ID': () => good().replaceAll('_h', "_'or'1'='1"),
      'another certificate in KeyInfo': () => signedXml(authnRequest(), stranger),
      'a document type': () => `<!DOCTYPE samlp:AuthnRequest>${good().replace(/<\?xml.*?\?>/, '')}`,
      'an entity bomb': () =>
        `<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa">${'bcdefghij'.replace(/./g, (name) => `<!ENTITY ${name} "${`&${String.fromCharCode(name.charCodeAt(0) - 1)};`.repeat(10)}">`)}]>${good().replace('</saml:Issuer>', '&j;</saml:Issuer>')}`,
      XInclude: () =>
        good().replace(
          '</samlp:AuthnRequest>',
          '<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="file:///etc/passwd" parse="text"/></samlp:AuthnRequest>',
        ),
      'deep nesting': () =>
        good().replace('</samlp:AuthnRequest>', `${'<x>'.repeat(5000)}${'</x>'.repeat(5000)}</samlp:AuthnRequest>`),
      'two thousand elements': () =>
        good().replace('</samlp:AuthnRequest>', `${'<x/>'.repeat(2000)}</samlp:AuthnRequest>`),
      'ten thousand attributes': () => {
        const attributes = Array.from({ length: 200 }, (_, index) => `a${index}=""`).join(' ');
        return good().replace('</samlp:AuthnRequest>', `${`<x ${attributes}/>`.repeat(50)}</samlp:AuthnRequest>`);
      },
      'a hundred thousand elements': () =>
        good().replace('</samlp:AuthnRequest>', `${'<x/>'.repeat(100_000)}</samlp:AuthnRequest>`),
      'a hundred thousand attributes': () =>
        good().replace(
          '<samlp:AuthnRequest ',
          `<samlp:AuthnRequest ${Array.from({ length: 50_000 }, (_, index) => `a${index}=""`).join(' ')} `,
        ),
      'no XML': () => 'SAMLRequest',
    };
    const unreadable = /cannot be read/;
    const elsewhere = /does not point to the root element/;
    const algorithm = /is not one of rsa-sha1, rsa-sha256, rsa-sha384, rsa-sha512, rsa-pss-sha256/;
    /** The expected reason, if it is not an invalid signature. */
    const reasons: Readonly<Record<string, RegExp>> = {
      'a comment in the ID': unreadable,
      'another element with the same ID': /not unique/,
      'a signature without Reference': /exactly one Reference/,
      'two References': /exactly one Reference/,
      'two SignedInfo': /exactly one SignedInfo/,
      'a signature inside another element': /no enveloped signature/,
      'a signature as the root': /no enveloped signature/,
      'an HMAC with the certificate as its key': algorithm,
      'an unknown digest': /digest is not/,
      'the MD5 of old': algorithm,
      'canonicalization with comments': /canonicalization/,
      'an XSLT transform': /transforms/,
      'a Reference to a file': elsewhere,
      'a Reference to the network': elsewhere,
      'an XPointer': elsewhere,
      'quotes in the ID': /no valid ID/,
      'a document type': unreadable,
      'an entity bomb': unreadable,
      'deep nesting': unreadable,
      'two thousand elements': /more than 2000 elements and attributes/,
      'ten thousand attributes': /more than 2000 elements and attributes/,
      'a hundred thousand elements': unreadable,
      'a hundred thousand attributes': unreadable,
      'no XML': unreadable,
    };
    for (const [name, xml] of Object.entries(posts)) {
      verifies('SAM-27', `rejects by POST: ${name}`, async function () {
        this.timeout(15_000);
        await refused(() => post(xml()), reasons[name] ?? /no certificate of this service provider verifies/);
      });
    }

    const queryReasons: Readonly<Record<string, RegExp>> = {
      'a doubled SAMLRequest': /the parameter SAMLRequest is repeated/,
      'a doubled RelayState': /the parameter RelayState is repeated/,
      'an unknown SigAlg': /SigAlg is not/,
      'a hidden spelling of the name': /SAMLRequest is missing/,
    };
    const queries: Readonly<Record<string, () => string>> = {
      'a changed RelayState': () => goodQuery().replace('RelayState=r', 'RelayState=s'),
      'a removed RelayState': () => goodQuery().replace('&RelayState=r', ''),
      'an added RelayState': () => `${signedQuery(authnRequest(), sp)}&RelayState=r`,
      'a doubled SAMLRequest': () => `${redirectQuery(authnRequest({ acs: 'https://evil.example' }))}&${goodQuery()}`,
      'a doubled RelayState': () => `${goodQuery()}&RelayState=evil`,
      'another SAMLRequest': () =>
        goodQuery().replace(/SAMLRequest=[^&]+/, redirectQuery(authnRequest({ acs: 'https://evil.example' }))),
      'another SigAlg': () => goodQuery().replace('rsa-sha256', 'rsa-sha512'),
      'an unknown SigAlg': () => goodQuery().replace('rsa-sha256', 'rsa-md5'),
      'a re-encoded query': () => goodQuery().replace(/%2B|%2F|%3D/, (octet) => octet.toLowerCase()),
      'a hidden spelling of the name': () => goodQuery().replace('SAMLRequest', 'SAML%52equest'),
    };
    for (const [name, query] of Object.entries(queries)) {
      verifies('SAM-25', `rejects by redirect: ${name}`, async () => {
        await refused(() => get(query()), queryReasons[name] ?? /no certificate of this service provider verifies/);
      });
    }
  });
});
