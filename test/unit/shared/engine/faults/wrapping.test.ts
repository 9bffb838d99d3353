// FLT-38: whether a lenient and a strict verifier still find the moved original signed.
import type { Element } from '@xmldom/xmldom';
import { expect } from 'chai';
import { twoAssertions, xsw1, xsw2, xsw3, xsw4, xsw5, xsw6, xsw7, xsw8 } from '#shared/engine/faults/saml/wrapping.ts';
import { c14nAlgorithms } from '#shared/model/configuration/settings/saml.ts';
import { changedAnswer } from '#test/support/saml/changed-answer.ts';
import { all, namespaces, only, rootOf } from '#test/support/saml/service-provider.ts';
import { signingKey } from '#test/support/saml/signing-key.ts';
import { isRightForXmlsec, verifyWithXmlCrypto } from '#test/support/saml/verify-signature.ts';
import { verifies } from '#test/support/verifies.ts';

const { assertion, protocol, signature } = namespaces;
const forgedName = 'admin@example.org';

/** The place of each element: local names from the root to the Assertion of that name. */
const placeOf = (root: Element, name: string): string[] => {
  const nameId = all(root, assertion, 'NameID').find(({ textContent }) => textContent === name);
  const path: string[] = [];
  for (let node = nameId?.parentNode?.parentNode; node?.nodeType === 1; node = node.parentNode) {
    path.unshift((node as Element).localName ?? '');
  }
  return path;
};

const forms = [
  { name: 'xsw1', change: xsw1, strict: false, right: 'Response Signature Response Assertion' },
  { name: 'xsw2', change: xsw2, strict: true, right: 'Response Response Assertion' },
  { name: 'xsw3', change: xsw3, strict: true, right: 'Response Assertion' },
  { name: 'xsw4', change: xsw4, strict: true, right: 'Response Assertion Assertion' },
  { name: 'xsw5', change: xsw5, strict: true, right: 'Response Assertion' },
  { name: 'xsw6', change: xsw6, strict: false, right: 'Response Assertion Signature Assertion' },
  { name: 'xsw7', change: xsw7, strict: true, right: 'Response Assertion' },
  { name: 'xsw8', change: xsw8, strict: false, right: 'Response Assertion Signature Object Assertion' },
] as const;

describe('signature wrapping', () => {
  for (const { name, change, strict, right } of forms) {
    for (const c14n of c14nAlgorithms) {
      verifies(
        'FLT-38',
        `keeps the moved original verifiable, but not the forged element: ${name}, ${c14n}`,
        async () => {
          const xml = (await changedAnswer(change(forgedName), { c14n })) ?? expect.fail('no change');
          const { certificatePem } = await signingKey('idp');
          const root = rootOf(xml);
          expect(placeOf(root, 'alice@example.org').join(' ')).to.equal(right);
          const forgedPlace = name === 'xsw7' ? 'Response Extensions Assertion' : 'Response Assertion';
          expect(placeOf(root, forgedName).join(' ')).to.equal(forgedPlace);
          const ids = [...all(root, assertion, 'Assertion'), ...all(root, protocol, 'Response'), root];
          expect(new Set(ids.map((element) => element.getAttribute('ID'))).size).to.equal(new Set(ids).size);

          const covered = verifyWithXmlCrypto(xml, certificatePem);
          expect(covered).to.have.length(1);
          expect(covered[0]).to.contain('alice@example.org').and.to.not.contain(forgedName);
          expect(await isRightForXmlsec(xml, certificatePem), 'xmlsec1').to.equal(strict);

          // The same signature, pointed at the forged element.
          const forged = all(root, assertion, 'NameID').find(({ textContent }) => textContent === forgedName);
          const forgedAssertion = forged?.parentNode?.parentNode as Element;
          const forgedId = (name === 'xsw1' || name === 'xsw2' ? root : forgedAssertion).getAttribute('ID');
          const led = xml.replace(/URI="#[^"]+"/, `URI="#${forgedId}"`);
          expect(() => verifyWithXmlCrypto(led, certificatePem)).to.throw();
          expect(await isRightForXmlsec(led, certificatePem), 'xmlsec1 accepts the forged element').to.equal(false);
        },
      );
    }
    it(`does nothing in a response without a signature: ${name}`, async () => {
      expect(await changedAnswer(change(forgedName), { sign: false })).to.equal(undefined);
    });
  }

  it('puts a second, unsigned Assertion after the signed one', async () => {
    const xml = (await changedAnswer(twoAssertions(forgedName))) ?? expect.fail('no change');
    const [first, second] = all(rootOf(xml), assertion, 'Assertion');
    if (first === undefined || second === undefined) expect.fail('there are not two');
    expect(only(first, assertion, 'NameID').textContent).to.equal('alice@example.org');
    expect(only(second, assertion, 'NameID').textContent).to.equal(forgedName);
    expect(all(first, signature, 'Signature')).to.have.length(1);
    expect(all(second, signature, 'Signature')).to.have.length(0);
    expect(verifyWithXmlCrypto(xml, (await signingKey('idp')).certificatePem)[0]).to.contain('alice@example.org');
  });
});
