// Faults of SAML logins at service providers that are answered encrypted (ENC-12): a fault is there in what is decrypted, and
// what it leaves alone is right. Encryption changes what a signature covers, so that a signature of an unusual kind is made over the encrypted form.
import { createHmac } from 'node:crypto';
import type { Element } from '@xmldom/xmldom';
import { expect } from 'chai';
import { SignedXml } from 'xml-crypto';
import type { SigningKey } from '#shared/state/keys/key-ring.ts';
import { loggedIn } from '#test/support/authorization-flow.ts';
import type { BrowserClient } from '#test/support/browser-client.ts';
import { faultOf, noFaults, setFault } from '#test/support/faults.ts';
import { decryptWithXmlsec } from '#test/support/saml/decrypt-with-xmlsec.ts';
import {
  all,
  authnRequest,
  delivered,
  namespaces,
  only,
  redirectQuery,
  rootOf,
} from '#test/support/saml/service-provider.ts';
import { signingKey } from '#test/support/saml/signing-key.ts';
import { verifyWithXmlCrypto, verifyWithXmlsec } from '#test/support/saml/verify-signature.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { saml, samlUsers } from '#test/support/worlds.ts';

const registered = 'https://registered.example';
const forged = 'root@example.org';

/** Where the one signature stands in the Response as it is sent, over something encrypted. */
const entries = [
  { sign: 'response', encrypt: ['assertion'] },
  { sign: 'assertion', encrypt: ['name_id', 'attributes'] },
] as const;

describe('faults of SAML logins that are encrypted', () => {
  let idp: RunningIdp;
  let alice: BrowserClient;
  let sp: SigningKey;
  let pem: string;
  before(async () => {
    sp = await signingKey('sp');
    idp = await startIdp({ world: saml });
    alice = await loggedIn(idp);
    pem = await (await fetch(`${idp.baseUrl}/saml/cert.pem`)).text();
  });
  after(() => idp.stop());
  afterEach(() => noFaults(idp));

  const login = async () => {
    const request = authnRequest({ issuer: registered, acs: undefined });
    return delivered(await alice.get(`/saml/sso?${redirectQuery(request)}`));
  };
  const faulty = async (fault: string, parameters = {}) => {
    const set = await setFault(idp, fault, { parameters });
    const answer = await login();
    return { ...answer, hits: (await faultOf(idp, set)).hits };
  };
  const methodIn = (root: Element) => only(root, namespaces.signature, 'SignatureMethod').getAttribute('Algorithm');
  const certificateIn = (root: Element) => {
    const base64 = all(root, namespaces.signature, 'X509Certificate')[0]?.textContent ?? '';
    return `-----BEGIN CERTIFICATE-----\n${base64.replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`;
  };

  const configure = (how: { readonly sign: string; readonly encrypt: readonly string[] }) => {
    const provider = { entity_id: registered, acs: `${registered}/acs`, encryption_certificate: sp.certificatePem };
    return idp.configure({ settings: { saml: { service_providers: [{ ...provider, ...how }] } }, users: samlUsers });
  };

  verifies(['ENC-12', 'FLT-K145', 'FLT-K148'], 'of two signatures each goes wrong in that way', async () => {
    await configure({ sign: 'both', encrypt: ['attributes'] });
    const sha1 = await faulty('saml_sha1');
    const methods = all(sha1.root, namespaces.signature, 'SignatureMethod').map((it) => it.getAttribute('Algorithm'));
    expect(methods.map((method) => method?.split('#')[1])).to.deep.equal(['rsa-sha1', 'rsa-sha1']);
    expect(verifyWithXmlCrypto(sha1.xml, pem)).to.have.length(2);
    const stranger = await faulty('saml_key_unknown');
    expect(verifyWithXmlCrypto(stranger.xml, certificateIn(stranger.root))).to.have.length(2);
  });

  verifies(['ENC-12', 'FLT-K197'], 'saml_response_large is as long as it is sent', async () => {
    for (const encrypt of [['assertion'], ['attributes'], ['attributes', 'assertion']]) {
      await configure({ sign: 'both', encrypt });
      const { xml, hits } = await faulty('saml_response_large', { bytes: 100_000 });
      expect(hits).to.equal(1);
      expect(Buffer.byteLength(xml), encrypt.join()).to.be.within(99_950, 100_050);
    }
  });

  for (const { sign, encrypt } of entries) {
    describe(`sign: ${sign}, encrypt: ${encrypt.join(', ')}`, () => {
      before(() => configure({ sign, encrypt }));

      verifies(['ENC-12', 'FLT-K148'], 'saml_sha1 is SHA-1 still', async () => {
        const { xml, root, hits } = await faulty('saml_sha1');
        expect(hits).to.equal(1);
        expect(methodIn(root)).to.match(/#rsa-sha1$/);
        expect(verifyWithXmlCrypto(xml, pem)).to.have.length(1);
      });

      verifies(['ENC-12', 'FLT-K147'], 'saml_keyinfo_wrong has the other certificate still', async () => {
        const { xml, root } = await faulty('saml_keyinfo_wrong');
        expect(certificateIn(root).replaceAll('\n', '')).to.not.equal(pem.replaceAll('\n', ''));
        expect(verifyWithXmlCrypto(xml, pem)).to.have.length(1);
      });

      verifies(['ENC-12', 'FLT-K145'], 'who trusts the key of KeyInfo takes saml_key_unknown', async () => {
        const { xml, root } = await faulty('saml_key_unknown');
        expect(() => verifyWithXmlCrypto(xml, pem)).to.throw();
        expect(verifyWithXmlCrypto(xml, certificateIn(root))).to.have.length(1);
      });

      verifies(['ENC-12', 'FLT-K144'], 'one bit back, and saml_signature_tampered verifies', async () => {
        const { xml, root } = await faulty('saml_signature_tampered');
        expect(() => verifyWithXmlCrypto(xml, pem)).to.throw();
        const value = only(root, namespaces.signature, 'SignatureValue').textContent ?? '';
        const octets = Buffer.from(value, 'base64');
        const middle = octets.length >> 1;
        octets[middle] = (octets[middle] ?? 0) ^ 1;
        expect(verifyWithXmlCrypto(xml.replace(value, octets.toString('base64')), pem)).to.have.length(1);
      });

      verifies(
        ['ENC-12', 'FLT-K149'],
        'who takes the certificate for a secret takes saml_hmac_public_key',
        async () => {
          const { xml, root } = await faulty('saml_hmac_public_key');
          const verifier = new SignedXml({ publicCert: pem });
          Object.assign(verifier.SignatureAlgorithms, { [methodIn(root) ?? '']: HmacOfPem });
          verifier.loadSignature(only(root, namespaces.signature, 'Signature').toString());
          expect(verifier.checkSignature(xml)).to.equal(true);
        },
      );

      verifies(['ENC-12', 'FLT-K150'], 'who runs the stylesheet takes saml_xslt_transform', async () => {
        const { xml } = await faulty('saml_xslt_transform');
        expect(xml).to.contain('REC-xslt-19991116');
        await verifyWithXmlsec(xml, pem);
      });

      verifies(['ENC-12', 'FLT-K199'], 'saml_prefixes_changed is right in every other way', async () => {
        const { xml, root, hits } = await faulty('saml_prefixes_changed');
        expect(hits).to.equal(1);
        expect(xml).to.contain('<saml:Encrypted').and.contain('<dsig:Signature').and.not.contain('saml2:');
        expect(
          all(root, namespaces.assertion, encrypt[0] === 'assertion' ? 'EncryptedAssertion' : 'EncryptedID'),
        ).to.have.length(1);
        await verifyWithXmlsec(xml, pem);
        expect(rootOf(decryptWithXmlsec(xml, sp)).textContent).to.contain('alice@example.com');
      });

      verifies(['ENC-12', 'FLT-K175'], 'the comment of saml_nameid_comment is in what is decrypted', async () => {
        const { xml } = await faulty('saml_nameid_comment', { name_id: forged });
        expect(xml).to.not.contain(forged);
        await verifyWithXmlsec(xml, pem);
        expect(decryptWithXmlsec(xml, sp)).to.match(/>root@example\.org<!--.*-->\.attacker\.example</);
      });

      verifies(['ENC-12', 'FLT-K183', 'FLT-K184'], 'no entity fires where no value is plain', async () => {
        for (const fault of ['saml_entity_expansion', 'saml_external_entity']) {
          const { xml, hits } = await faulty(fault);
          expect(hits, fault).to.equal(0);
          expect(xml).to.not.contain('DOCTYPE');
        }
      });

      // About a signed Assertion, of which there is none where the Response alone is signed.
      if (sign === 'response') return;

      verifies(['FLT-38', 'FLT-K171'], 'the moved original of saml_xsw5 still verifies', async () => {
        const { xml, hits } = await faulty('saml_xsw5', { name_id: forged });
        expect(hits).to.equal(1);
        const covered = verifyWithXmlCrypto(xml, pem);
        expect(covered).to.have.length(1);
        expect(covered[0]).to.contain('alice@example.com');
        await verifyWithXmlsec(xml, pem);
        expect(xml).to.not.contain(forged);
        expect(decryptWithXmlsec(xml, sp)).to.contain(forged);
      });
    });
  }
});

/** HMAC-SHA256 for xml-crypto, keyed with the text of the certificate. */
class HmacOfPem {
  verifySignature(material: string, key: string, value: string): boolean {
    return createHmac('sha256', key).update(material).digest('base64') === value;
  }
  getSignature(): never {
    throw new Error('nothing is signed here');
  }
  getAlgorithmName(): string {
    return 'http://www.w3.org/2001/04/xmldsig-more#hmac-sha256';
  }
}
