// Faults of SAML signatures at service providers whose Response is signed, alone or with the Assertion (SPM-11). Each fault
// fires if its part exists, and leaves no signature that would make the response acceptable (FLT-37, FLT-38).
import { expect } from 'chai';
import { loggedIn } from '#test/support/authorization-flow.ts';
import type { BrowserClient } from '#test/support/browser-client.ts';
import { faultOf, noFaults, setFault } from '#test/support/faults.ts';
import { all, authnRequest, delivered, namespaces, redirectQuery } from '#test/support/saml/service-provider.ts';
import { isRightForXmlsec, verifyWithXmlCrypto, verifyWithXmlsec } from '#test/support/saml/verify-signature.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { saml, samlUsers } from '#test/support/worlds.ts';

const registered = 'https://registered.example';
const forged = 'root@example.org';

/**
 * The number of signatures in the response, and how many of them both verifiers accept. Undefined: the fault does not
 * fire.
 */
type Expected = readonly [signatures: number, valid: number] | undefined;

const rows: Readonly<Record<string, { readonly response: Expected; readonly both: Expected }>> = {
  saml_expired: { response: [1, 1], both: [2, 2] },
  saml_unsigned: { response: [0, 0], both: [0, 0] },
  saml_response_signed_only: { response: undefined, both: [1, 1] },
  saml_signature_on_other_element: { response: [1, 1], both: [1, 1] },
  saml_digest_tampered: { response: [1, 0], both: [2, 0] },
  saml_content_tampered: { response: [1, 0], both: [2, 0] },
  saml_signature_tampered: { response: [1, 0], both: [2, 0] },
  saml_key_unknown: { response: [1, 0], both: [2, 0] },
  saml_key_unknown_bare: { response: [1, 0], both: [2, 0] },
  saml_keyinfo_wrong: { response: [1, 1], both: [2, 2] },
  saml_sha1: { response: [1, 1], both: [2, 2] },
  saml_hmac_public_key: { response: [1, 0], both: [2, 0] },
  saml_xsw1: { response: [1, 1], both: [1, 1] },
  saml_xsw2: { response: [1, 1], both: [1, 1] },
  // These faults need a signed Assertion, which does not exist if only the Response is signed.
  ...Object.fromEntries(
    [3, 4, 5, 6, 7, 8].map((form) => [`saml_xsw${form}`, { response: undefined, both: [1, 1] }] as const),
  ),
  saml_two_assertions: { response: undefined, both: [1, 1] },
};

/**
 * xmlsec1 rejects SHA-1, and its enveloped-signature transform drops the content that these faults put into the
 * Signature (FLT-38).
 */
const lenientOnly: ReadonlySet<string> = new Set(['saml_sha1', 'saml_xsw1', 'saml_xsw6', 'saml_xsw8']);

describe('faults of SAML signatures with a signed Response', () => {
  let idp: RunningIdp;
  let alice: BrowserClient;
  let pem: string;
  before(async () => {
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

  for (const [title, sign, entry] of [
    ['sign: response', 'response', { sign: 'response' }],
    ['sign: both', 'both', { sign: 'both' }],
    ['the default', 'both', {}],
  ] as const) {
    describe(title, () => {
      before(async () => {
        const provider = { entity_id: registered, acs: `${registered}/acs`, ...entry };
        await idp.configure({ settings: { saml: { service_providers: [provider] } }, users: samlUsers });
      });

      for (const [fault, { [sign]: expected }] of Object.entries(rows)) {
        verifies(['FLT-37', 'SRE-03'], fault, async () => {
          const names = /xsw|content|two_/.test(fault) ? { parameters: { name_id: forged } } : {};
          const set = await setFault(idp, fault, names);
          const { xml, root } = await login();
          expect((await faultOf(idp, set)).hits).to.equal(expected === undefined ? 0 : 1);
          const signatures = all(root, namespaces.signature, 'Signature');
          const [wanted, valid] = expected ?? (sign === 'both' ? [2, 2] : [1, 1]);
          expect(signatures).to.have.length(wanted);
          if (wanted === 0) return;
          if (valid === 0) expect(() => verifyWithXmlCrypto(xml, pem)).to.throw();
          else {
            const covered = verifyWithXmlCrypto(xml, pem);
            expect(covered).to.have.length(valid);
            if (Object.keys(names).length > 0) expect(covered.join()).to.not.contain(forged);
          }
          if (lenientOnly.has(fault)) return;
          for (let which = 1; which <= wanted; which += 1) {
            expect(await isRightForXmlsec(xml, pem, which), `signature ${which}, by xmlsec1`).to.equal(valid > 0);
          }
        });
      }

      verifies('FLT-37', 'saml_xslt_transform', async () => {
        const set = await setFault(idp, 'saml_xslt_transform');
        const { xml } = await login();
        expect((await faultOf(idp, set)).hits).to.equal(1);
        expect(() => verifyWithXmlCrypto(xml, pem)).to.throw();
        // A verifier that runs the stylesheet accepts the digest.
        await verifyWithXmlsec(xml, pem);
      });
    });
  }
});
