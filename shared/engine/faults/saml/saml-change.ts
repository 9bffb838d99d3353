// A SAML fault takes a correct and signed response and returns the one to send. It returns undefined when the response
// lacks the part that the fault changes. Changed content is signed again, so that a fault that does not concern the
// signature leaves a valid one (FLT-20).
import type { SamlAnswer, SamlAnswerTools } from '#shared/engine/exchange/saml-answer.ts';
import { replacing, withAttributes, withChildren } from '#shared/protocol/saml/edit-tree.ts';
import { freshIdentifier } from '#shared/protocol/saml/identifiers.ts';
import { assertionNamespace, signatureNamespace } from '#shared/protocol/saml/vocabulary.ts';
import { firstChild, isNamed, type XmlElement } from '#shared/protocol/saml/xml-element.ts';
import type { FaultSite } from '../fault-row.ts';

/** What a change may read about its context, and what it signs with. */
export interface SamlSite extends Pick<FaultSite, 'materialUrl' | 'now' | 'random' | 'activeKey' | 'unknownKey'> {
  readonly answerTools: SamlAnswerTools;
}

type Changed = SamlAnswer | undefined;
export type SamlChange = (answer: SamlAnswer, site: SamlSite) => Changed | Promise<Changed>;

/** undefined: the element lacks the part in question. */
export type Edit = (element: XmlElement, site: SamlSite) => XmlElement | undefined;

/** A change that needs a Response with an Assertion. */
export function ofLogin(
  change: (login: Login, answer: SamlAnswer, site: SamlSite) => Changed | Promise<Changed>,
): SamlChange {
  return (answer, site) => {
    const assertion = assertionOf(answer.response);
    return assertion === undefined ? undefined : change({ response: answer.response, assertion }, answer, site);
  };
}

export interface Login {
  readonly response: XmlElement;
  /** The Assertion in the Response, unchanged. */
  readonly assertion: XmlElement;
}

/**
 * Changes the Response, the Assertion or both before they are signed. If one of them lacks its part, nothing changes.
 */
export function rebuilding(edits: { readonly response?: Edit; readonly assertion?: Edit }): SamlChange {
  const { response: editResponse = same, assertion: editAssertion = same } = edits;
  return ofLogin(async ({ response, assertion }, answer, site) => {
    const edited = editAssertion(unsigned(assertion), site);
    const around = editResponse(unsigned(response), site);
    if (edited === undefined || around === undefined) return undefined;
    const { answerTools } = site;
    const sealed = isSigned(assertion) ? await answerTools.signed(edited, { within: around }) : edited;
    const whole = withAssertions(around, [sealed]);
    return { ...answer, response: isSigned(response) ? await answerTools.signed(whole) : whole };
  });
}

const same: Edit = (element) => element;

export function assertionOf(response: XmlElement): XmlElement | undefined {
  return firstChild(response, assertionNamespace, 'Assertion');
}

export function signatureOf(element: XmlElement): XmlElement | undefined {
  return firstChild(element, signatureNamespace, 'Signature');
}

export function isSigned(element: XmlElement): boolean {
  return signatureOf(element) !== undefined;
}

/** The element without its own Signature, and without the white space around that. */
export function unsigned(element: XmlElement): XmlElement {
  const at = element.children.findIndex(
    (child) => typeof child !== 'string' && isNamed(child, signatureNamespace, 'Signature'),
  );
  if (at < 0) return element;
  const isLaidOut = typeof element.children[at - 1] === 'string';
  return withChildren(element, element.children.toSpliced(isLaidOut ? at - 1 : at, isLaidOut ? 2 : 1));
}

/** The Response with these Assertions in place of its own. */
export function withAssertions(response: XmlElement, assertions: readonly XmlElement[]): XmlElement {
  return replacing(response, [assertionNamespace, 'Assertion'], () => assertions) ?? response;
}

/** The element with a Signature directly behind its Issuer. */
export function withSignature(element: XmlElement, signature: XmlElement): XmlElement {
  return replacing(element, [assertionNamespace, 'Issuer'], (issuer) => [issuer, signature]) ?? element;
}

export function withFreshId(element: XmlElement, { random }: SamlSite): XmlElement {
  return withAttributes(element, { ID: freshIdentifier(random) });
}
