// Faults of SAML logins at service providers that receive encrypted responses (ENC-12). The fault shows after decryption,
// and everything else is correct. Encryption changes what a signature covers, so unusual signatures are made over the
// encrypted form.
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

/** Where the only signature of the sent Response is, over something encrypted. */
const entries = [
  { sign: 'response', encrypt: ['assertion'] },
  { sign: 'assertion', encrypt: ['name_id', 'attributes'] },
] as const;

describe('faults of encrypted SAML logins', () => {
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

  verifies(['ENC-12', 'FLT-K145', 'FLT-K148'], 'change both of two signatures', async () => {
    await configure({ sign: 'both', encrypt: ['attributes'] });
    const sha1 = await faulty('saml_sha1');
    const methods = all(sha1.root, namespaces.signature, 'SignatureMethod').map((it) => it.getAttribute('Algorithm'));
    expect(methods.map((method) => method?.split('#')[1])).to.deep.equal(['rsa-sha1', 'rsa-sha1']);
    expect(verifyWithXmlCrypto(sha1.xml, pem)).to.have.length(2);
    const stranger = await faulty('saml_key_unknown');
    expect(verifyWithXmlCrypto(stranger.xml, certificateIn(stranger.root))).to.have.length(2);
  });

  verifies(['ENC-12', 'FLT-K197'], 'size saml_response_large by the sent form', async () => {
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

      verifies(['ENC-12', 'FLT-K148'], 'keep SHA-1 in saml_sha1', async () => {
        const { xml, root, hits } = await faulty('saml_sha1');
        expect(hits).to.equal(1);
        expect(methodIn(root)).to.match(/#rsa-sha1$/);
        expect(verifyWithXmlCrypto(xml, pem)).to.have.length(1);
      });

      verifies(['ENC-12', 'FLT-K147'], 'keep the other certificate in saml_keyinfo_wrong', async () => {
        const { xml, root } = await faulty('saml_keyinfo_wrong');
        expect(certificateIn(root).replaceAll('\n', '')).to.not.equal(pem.replaceAll('\n', ''));
        expect(verifyWithXmlCrypto(xml, pem)).to.have.length(1);
      });

      verifies(
        ['ENC-12', 'FLT-K145'],
        'pass for a verifier that trusts the key of KeyInfo in saml_key_unknown',
        async () => {
          const { xml, root } = await faulty('saml_key_unknown');
          expect(() => verifyWithXmlCrypto(xml, pem)).to.throw();
          expect(verifyWithXmlCrypto(xml, certificateIn(root))).to.have.length(1);
        },
      );

      verifies(['ENC-12', 'FLT-K144'], 'make saml_signature_tampered differ by one bit only', async () => {
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
        'pass for a verifier that takes the certificate as a secret in saml_hmac_public_key',
        async () => {
          const { xml, root } = await faulty('saml_hmac_public_key');
          const verifier = new SignedXml({ publicCert: pem });
          Object.assign(verifier.SignatureAlgorithms, { [methodIn(root) ?? '']: HmacOfPem });
          verifier.loadSignature(only(root, namespaces.signature, 'Signature').toString());
          expect(verifier.checkSignature(xml)).to.equal(true);
        },
      );

      verifies(
        ['ENC-12', 'FLT-K150'],
        'pass for a verifier that runs the stylesheet of saml_xslt_transform',
        async () => {
          const { xml } = await faulty('saml_xslt_transform');
          expect(xml).to.contain('REC-xslt-19991116');
          await verifyWithXmlsec(xml, pem);
        },
      );

      verifies(['ENC-12', 'FLT-K199'], 'change only the prefixes in saml_prefixes_changed', async () => {
        const { xml, root, hits } = await faulty('saml_prefixes_changed');
        expect(hits).to.equal(1);
        expect(xml).to.contain('<saml:Encrypted').and.contain('<dsig:Signature').and.not.contain('saml2:');
        expect(
          all(root, namespaces.assertion, encrypt[0] === 'assertion' ? 'EncryptedAssertion' : 'EncryptedID'),
        ).to.have.length(1);
        await verifyWithXmlsec(xml, pem);
        expect(rootOf(decryptWithXmlsec(xml, sp)).textContent).to.contain('alice@example.com');
      });

      verifies(['ENC-12', 'FLT-K175'], 'put the comment of saml_nameid_comment into the decrypted text', async () => {
        const { xml } = await faulty('saml_nameid_comment', { name_id: forged });
        expect(xml).to.not.contain(forged);
        await verifyWithXmlsec(xml, pem);
        expect(decryptWithXmlsec(xml, sp)).to.match(/>root@example\.org<!--.*-->\.attacker\.example</);
      });

      verifies(['ENC-12', 'FLT-K183', 'FLT-K184'], 'do not fire entity faults without a plain value', async () => {
        for (const fault of ['saml_entity_expansion', 'saml_external_entity']) {
          const { xml, hits } = await faulty(fault);
          expect(hits, fault).to.equal(0);
          expect(xml).to.not.contain('DOCTYPE');
        }
      });

      // These faults need a signed Assertion, which does not exist if only the Response is signed.
      if (sign === 'response') return;

      verifies(['FLT-38', 'FLT-K171'], 'keep the moved original of saml_xsw5 verifiable', async () => {
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
