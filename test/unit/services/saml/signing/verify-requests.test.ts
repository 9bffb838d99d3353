// A changed signed request is either rejected, or the values read are those that were signed.
import { expect } from 'chai';
import fc from 'fast-check';
import { readAuthnRequest } from '#services/saml/protocol/authn-request.ts';
import { verifyRedirectSignature } from '#services/saml/signing/verify-redirect.ts';
import { SignatureRefusedError } from '#shared/engine/saml-signing/signature-refused.ts';
import { verifyEnvelopedSignature } from '#shared/engine/saml-signing/verify-enveloped.ts';
import { parseXml } from '#shared/protocol/saml/xml/parse-xml.ts';
import { XmlUnreadableError } from '#shared/protocol/saml/xml/xml-unreadable.ts';
import { elementsOf } from '#shared/protocol/saml/xml-element.ts';
import type { SigningKey } from '#shared/state/keys/key-ring.ts';
import { authnRequest, nameIdPolicy, signedQuery, signedXml } from '#test/support/saml/service-provider.ts';
import { signingKey } from '#test/support/saml/signing-key.ts';
import { verifies } from '#test/support/verifies.ts';

interface Change {
  readonly kind: 'replace' | 'remove' | 'double' | 'copy';
  readonly at: number;
  readonly length: number;
  readonly to: number;
  readonly character: string;
}

/** One change of a text: a character replaced, or a range removed, duplicated or copied elsewhere. */
const changes: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom('replace' as const, 'remove' as const, 'double' as const, 'copy' as const),
  at: fc.nat(),
  length: fc.integer({ min: 1, max: 60 }),
  to: fc.nat(),
  character: fc.constantFrom(...'<>/&;"\'= x!-[]?:#%+A9_'),
});

function changed(text: string, { kind, at, length, to, character }: Change): string {
  const begin = at % text.length;
  const end = Math.min(text.length, begin + length);
  const piece = text.slice(begin, end);
  if (kind === 'replace') return text.slice(0, begin) + character + text.slice(begin + 1);
  if (kind === 'remove') return text.slice(0, begin) + text.slice(end);
  if (kind === 'double') return text.slice(0, end) + piece + text.slice(end);
  const target = to % text.length;
  return text.slice(0, target) + piece + text.slice(target);
}

describe('a changed signed request', () => {
  let sp: SigningKey;
  before(async () => {
    sp = await signingKey('sp');
  });

  verifies('SAM-27', 'with an enveloped signature is rejected, or the signed values are read', async function () {
    this.timeout(60_000);
    const xml = authnRequest({ id: '_signed', attributes: 'IsPassive="true"', children: nameIdPolicy('urn:f') });
    const signed = signedXml(xml, sp);
    const expected = readAuthnRequest(parseXml(xml));
    expect(readAuthnRequest((await verifyEnvelopedSignature(parseXml(signed), [sp.publicKey])).root)).to.deep.equal(
      expected,
    );
    await fc.assert(
      fc.asyncProperty(changes, async (change) => {
        try {
          const { root } = await verifyEnvelopedSignature(parseXml(changed(signed, change)), [sp.publicKey]);
          expect(readAuthnRequest(root)).to.deep.equal(expected);
        } catch (error) {
          if (!(error instanceof SignatureRefusedError || error instanceof XmlUnreadableError)) throw error;
        }
      }),
      { numRuns: 200 },
    );
  });

  verifies('SAM-27', 'returns only the signed element, without unsigned content', async () => {
    const signed = signedXml(authnRequest(), sp).replace(
      '</ds:Signature>',
      '<ds:Object><saml:Issuer>https://evil.example</saml:Issuer></ds:Object></ds:Signature>',
    );
    const { root } = await verifyEnvelopedSignature(parseXml(signed), [sp.publicKey]);
    expect([...elementsOf(root)].map(({ local }) => local)).to.deep.equal(['AuthnRequest', 'Issuer']);
  });

  verifies('SAM-27', 'with an unsupported PrefixList is rejected for that, not for its key', async () => {
    const listing = (prefixes: string) =>
      `<ec:InclusiveNamespaces xmlns:ec="http://www.w3.org/2001/10/xml-exc-c14n#" PrefixList="${prefixes}"/>`;
    const signed = signedXml(authnRequest({ attributes: 'xmlns:xs="urn:xs"' }), sp);
    const withLists = (ofMethod: string, ofTransform: string) =>
      signed
        .replace(/(<ds:CanonicalizationMethod [^>]*)\/>/, `$1>${ofMethod}</ds:CanonicalizationMethod>`)
        .replace(/(<ds:Transform Algorithm="[^"]*xml-exc-c14n#")\/>/, `$1>${ofTransform}</ds:Transform>`);
    const whyRefused = (xml: string) =>
      verifyEnvelopedSignature(parseXml(xml), [sp.publicKey]).then(
        () => 'accepted',
        (error: unknown) => String(error),
      );
    for (const [ofMethod, ofTransform] of [
      ['#default', 'xs'],
      ['xs  saml', 'xs'],
      ['xs', 'xs &#10;saml'],
    ] as const) {
      const xml = withLists(listing(ofMethod), listing(ofTransform));
      expect(xml.split('PrefixList')).to.have.length(3);
      expect(await whyRefused(xml), ofMethod).to.contain('PrefixList');
    }
    for (const readable of ['', 'xs', 'xs saml']) {
      const xml = withLists(listing(readable), listing(`${readable} #default`.trim()));
      expect(await whyRefused(xml), readable).to.contain('no certificate of this service provider verifies');
    }
  });

  it('is rejected if its canonical form is too large', async () => {
    const elements = '<n:x/>'.repeat(500);
    const children = `<samlp:Extensions xmlns:n="urn:${'long'.repeat(1000)}">${elements}</samlp:Extensions>`;
    const refused = await verifyEnvelopedSignature(parseXml(signedXml(authnRequest({ children }), sp)), [sp.publicKey])
      .then(() => undefined)
      .catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(SignatureRefusedError);
  });

  verifies('SAM-25', 'with a signed query is rejected, or the signed values are read', () => {
    const query = signedQuery(authnRequest({ id: '_signed' }), sp, { relayState: 'a b&c=d' });
    const expected = verifyRedirectSignature(query, [sp.publicKey]).message;
    expect(expected.relayState).to.equal('a b&c=d');
    fc.assert(
      fc.property(changes, (change) => {
        try {
          expect(verifyRedirectSignature(changed(query, change), [sp.publicKey]).message).to.deep.equal(expected);
        } catch (error) {
          if (!(error instanceof SignatureRefusedError)) throw error;
        }
      }),
      { numRuns: 1500 },
    );
  });
});
