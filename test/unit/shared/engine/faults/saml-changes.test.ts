// Changed SAML responses remain correct in all other respects, under every canonicalization and without signatures.
import { expect } from 'chai';
import { base64Wrapped, statusError } from '#shared/engine/faults/saml/delivery.ts';
import { doctype, nameIdComment, prefixesChanged, responseLarge } from '#shared/engine/faults/saml/document-text.ts';
import type { SamlChange } from '#shared/engine/faults/saml/saml-change.ts';
import {
  keyInfoWrong,
  otherElementSigned,
  responseSignedOnly,
  xsltTransform,
} from '#shared/engine/faults/saml/signatures.ts';
import { expired, issuerWrong } from '#shared/engine/faults/saml/subject.ts';
import { c14nAlgorithms } from '#shared/model/configuration/settings/saml.ts';
import { changedAnswer } from '#test/support/saml/changed-answer.ts';
import { all, namespaces, rootOf } from '#test/support/saml/service-provider.ts';
import { signingKey } from '#test/support/saml/signing-key.ts';
import { verifyWithXmlCrypto, verifyWithXmlsec } from '#test/support/saml/verify-signature.ts';
import { whereToolsAre } from '#test/support/verifies.ts';

const status = { status: 'Responder', second: 'AuthnFailed' };

/** Changes that keep a valid signature, and the signed element. */
const valid: readonly (readonly [name: string, change: SamlChange, covered: string])[] = [
  ['a time', expired, 'saml2:Assertion'],
  ['both Issuers', issuerWrong, 'saml2:Assertion'],
  ['a comment', nameIdComment('admin@example.org'), 'saml2:Assertion'],
  ['a document type', doctype, 'saml2:Assertion'],
  ['other prefixes', prefixesChanged, 'saml:Assertion'],
  ['a padding', responseLarge(20_000), 'saml2:Assertion'],
  ['lines', base64Wrapped, 'saml2:Assertion'],
  ['another certificate', keyInfoWrong, 'saml2:Assertion'],
  ['an error', statusError(status), 'saml2p:Response'],
  ['a signature of the Response', responseSignedOnly, 'saml2p:Response'],
  ['a signature of something else', otherElementSigned, 'saml2p:Extensions'],
];

describe('changes of a SAML response', () => {
  for (const c14n of c14nAlgorithms) {
    for (const [name, change, element] of valid) {
      const check = async () => {
        const xml = (await changedAnswer(change, { c14n })) ?? expect.fail('no change');
        const { certificatePem } = await signingKey('idp');
        const [covered, ...others] = verifyWithXmlCrypto(xml, certificatePem);
        expect(others).to.deep.equal([]);
        expect(covered?.startsWith(`<${element} `), covered?.slice(0, 40)).to.equal(true);
        await verifyWithXmlsec(xml, certificatePem);
      };
      it(`keep a signature that both verifiers accept: ${name}, ${c14n}`, whereToolsAre(check));
    }

    const run = async () => {
      const xml = (await changedAnswer(xsltTransform, { c14n })) ?? expect.fail('no change');
      await verifyWithXmlsec(xml, (await signingKey('idp')).certificatePem);
    };
    it(`make a digest that is correct if the XSLT transform is run: ${c14n}`, whereToolsAre(run));
  }

  it('skip changes of signatures in an unsigned response, which stays unsigned', async () => {
    for (const change of [expired, prefixesChanged, responseLarge(20_000), statusError(status)]) {
      const xml = (await changedAnswer(change, { sign: false })) ?? expect.fail('no change');
      expect(all(rootOf(xml), namespaces.signature, 'Signature')).to.have.length(0);
    }
    for (const change of [keyInfoWrong, xsltTransform, responseSignedOnly, otherElementSigned]) {
      expect(await changedAnswer(change, { sign: false })).to.equal(undefined);
    }
  });
});
