// Faults of a login at service providers that have something encrypted: they change what is plain, and what arrives goes wrong
// as it would without encryption, and in nothing else (ENC-12, FLT-17, FLT-20).
import { X509Certificate } from 'node:crypto';
import { DOMParser } from '@xmldom/xmldom';
import { expect } from 'chai';
import type { SigningKey } from '#shared/keys/key-ring.ts';
import { privateKeyPem } from '#shared/keys/rsa-key-pair.ts';
import { loggedIn } from '#test/support/authorization-flow.ts';
import type { BrowserClient } from '#test/support/browser-client.ts';
import { faultOf, noFaults, setFault } from '#test/support/faults.ts';
import { decryptWithXmlsec } from '#test/support/saml/decrypt-with-xmlsec.ts';
import { all, authnRequest, delivered, namespaces, redirectQuery } from '#test/support/saml/service-provider.ts';
import { signingKey } from '#test/support/saml/signing-key.ts';
import { verifyWithXmlCrypto, verifyWithXmlsec } from '#test/support/saml/verify-signature.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { saml, samlUsers } from '#test/support/worlds.ts';

const registered = 'https://registered.example';

/** Where something that is signed is encrypted after it. */
const ways = [
  { encrypt: ['name_id'], sign: 'assertion' },
  { encrypt: ['attributes'], sign: 'both' },
  { encrypt: ['assertion'], sign: 'response' },
] as const;

describe('faults of SAML logins that are encrypted', () => {
  let idp: RunningIdp;
  let alice: BrowserClient;
  let sp: SigningKey;
  let idpCertificate: string;
  before(async () => {
    sp = await signingKey('sp');
    idp = await startIdp({ world: saml });
    idpCertificate = await (await fetch(`${idp.baseUrl}/saml/cert.pem`)).text();
    alice = await loggedIn(idp);
  });
  after(() => idp.stop());
  afterEach(() => noFaults(idp));

  const configure = (how: { readonly encrypt: readonly string[]; readonly sign: string }) => {
    const acs = `${registered}/acs`;
    const provider = { entity_id: registered, acs, encryption_certificate: sp.certificatePem, ...how };
    return idp.configure({ settings: { saml: { service_providers: [provider] } }, users: samlUsers });
  };
  const login = async (fault: string) => {
    const set = await setFault(idp, fault);
    const query = redirectQuery(authnRequest({ issuer: registered, acs: undefined }));
    const { xml, root } = delivered(await alice.get(`/saml/sso?${query}`));
    return { xml, root, hits: (await faultOf(idp, set)).hits };
  };
  /** As PEM, from each KeyInfo of a signature. */
  const signersOf = (root: Parameters<typeof all>[0]) =>
    all(root, namespaces.signature, 'Signature').map((signature) => {
      const [text] = all(signature, namespaces.signature, 'X509Certificate').map((each) => each.textContent);
      return new X509Certificate(Buffer.from(text ?? '', 'base64')).toString();
    });
  const methodsOf = (root: Parameters<typeof all>[0]) =>
    all(root, namespaces.signature, 'SignatureMethod').map((each) => each.getAttribute('Algorithm')?.split('#')[1]);

  for (const way of ways) {
    describe(`encrypt: ${way.encrypt}, sign: ${way.sign}`, () => {
      before(() => configure(way));

      verifies(['ENC-12', 'FLT-20'], 'saml_sha1 arrives as a valid signature with SHA-1', async () => {
        const { xml, root, hits } = await login('saml_sha1');
        expect(hits).to.equal(1);
        expect(methodsOf(root)).to.have.length(way.sign === 'both' ? 2 : 1);
        expect(new Set(methodsOf(root))).to.deep.equal(new Set(['rsa-sha1']));
        verifyWithXmlCrypto(xml, idpCertificate);
      });

      verifies(
        ['ENC-12', 'FLT-20'],
        'saml_key_unknown is valid under the key in KeyInfo, and under ours not',
        async () => {
          const { xml, root } = await login('saml_key_unknown');
          const [stranger = ''] = signersOf(root);
          expect(new Set(signersOf(root))).to.deep.equal(new Set([stranger]));
          verifyWithXmlCrypto(xml, stranger);
          expect(() => verifyWithXmlCrypto(xml, idpCertificate)).to.throw();
        },
      );

      verifies(
        ['ENC-12', 'FLT-20'],
        'saml_keyinfo_wrong has another certificate beside a valid signature',
        async () => {
          const { xml, root } = await login('saml_keyinfo_wrong');
          expect(signersOf(root)).to.not.include(new X509Certificate(idpCertificate).toString());
          verifyWithXmlCrypto(xml, idpCertificate);
        },
      );

      verifies(['ENC-12', 'FLT-20'], 'saml_xslt_transform is valid for whoever runs the stylesheet', async () => {
        const { xml } = await login('saml_xslt_transform');
        expect(xml).to.contain('REC-xslt-19991116');
        await verifyWithXmlsec(xml, idpCertificate);
      });

      verifies(['ENC-12', 'FLT-20'], 'saml_prefixes_changed declares every prefix it has', async () => {
        const { xml } = await login('saml_prefixes_changed');
        expect(xml).to.not.match(/<\/?(?:saml2|saml2p|ds:Signature)\b/);
        const problems: string[] = [];
        new DOMParser({ onError: (level, message) => problems.push(`${level}: ${message}`) }).parseFromString(
          xml,
          'text/xml',
        );
        expect(problems).to.deep.equal([]);
        const used = new Set([...xml.matchAll(/<\/?([A-Za-z0-9]+):/g)].map(([, prefix]) => prefix));
        for (const prefix of used) expect(xml, prefix).to.contain(`xmlns:${prefix}="`);
        verifyWithXmlCrypto(xml, idpCertificate);
      });
    });
  }

  verifies(['ENC-12', 'FLT-37'], 'saml_nameid_comment puts its comment into what is encrypted', async () => {
    for (const encrypt of [['assertion'], ['name_id']]) {
      await configure({ encrypt, sign: 'assertion' });
      const { xml } = await login('saml_nameid_comment');
      expect(xml).to.not.contain('<!--');
      const plain = decryptWithXmlsec(xml, privateKeyPem(sp));
      expect(plain, String(encrypt)).to.contain('>admin@example.org<!-- -->.attacker.example<');
      // The comment is none of what is signed.
      const signed = encrypt.includes('assertion')
        ? /<saml2:Assertion[\s\S]*<\/saml2:Assertion>/.exec(plain)?.[0]
        : xml;
      await verifyWithXmlsec(signed ?? '', idpCertificate);
    }
  });

  verifies(
    ['ENC-12', 'FLT-17'],
    'an entity in what is encrypted would be none, so such a fault does not fire',
    async () => {
      for (const fault of ['saml_entity_expansion', 'saml_external_entity']) {
        for (const encrypt of [['assertion'], ['attributes']]) {
          await configure({ encrypt, sign: 'assertion' });
          const { xml, hits } = await login(fault);
          expect([hits, xml.includes('DOCTYPE')], `${fault}, ${encrypt}`).to.deep.equal([0, false]);
          await noFaults(idp);
        }
      }
    },
  );
});
