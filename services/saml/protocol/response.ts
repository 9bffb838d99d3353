// The three kinds of Response: success of a login, error at the ACS, response to an attribute query. Only this module
// decides their prefixes, and when they have a Destination and an InResponseTo (SAM-48, SAM-53, SAM-55). SAML core
// §3.2.2.
import type { Instant } from '#shared/base/clock.ts';
import { samlInstant } from '#shared/protocol/saml/instants.ts';
import { type SamlStatus, statusElement, success } from '#shared/protocol/saml/status.ts';
import {
  assertionNamespace,
  protocolNamespace,
  saml2,
  saml2p,
  signatureNamespace,
} from '#shared/protocol/saml/vocabulary.ts';
import { declaring, type XmlElement } from '#shared/protocol/saml/xml-element.ts';

export interface ResponseHead {
  readonly id: string;
  /** A whole second: the time of the document. */
  readonly at: Instant;
  readonly entityId: string;
}

export interface LoginResponseHead extends ResponseHead {
  readonly acsUrl: string;
  /** The request's ID. undefined when it had none. */
  readonly inResponseTo: string | undefined;
}

const samlPrefixes = [
  ['saml2p', protocolNamespace],
  ['saml2', assertionNamespace],
] as const;

/** `assertion` is already signed, or stays unsigned. The Response around it is signed later (SRE-01, SPM-11). */
export function loginSuccessResponse(head: LoginResponseHead, assertion: XmlElement): XmlElement {
  return declaring(loginResponse(head, success, assertion), [...samlPrefixes, ['ds', signatureNamespace]]);
}

/** The namespaces in scope where `loginSuccessResponse` puts its assertion. */
export const scopeOfLoginAssertion: ReadonlyMap<string, string> = new Map([
  ...samlPrefixes,
  ['ds', signatureNamespace],
]);

/** A Response without assertion for the ACS. Its root is signed later (SAM-53). */
export function loginErrorResponse(head: LoginResponseHead, status: SamlStatus): XmlElement {
  return declaring(loginResponse(head, status, undefined), samlPrefixes);
}

/**
 * The response to an attribute query. Its root is signed later (SAM-57). `queryId` as sent: undefined when the query
 * had none, the empty string when it was empty (SAM-55).
 */
export function queryResponse(
  head: ResponseHead,
  queryId: string | undefined,
  status: SamlStatus,
  assertion: XmlElement | undefined,
): XmlElement {
  return declaring(response(head, { InResponseTo: queryId ?? '_unknown' }, status, assertion), samlPrefixes);
}

function loginResponse(head: LoginResponseHead, status: SamlStatus, assertion: XmlElement | undefined): XmlElement {
  return response(head, { Destination: head.acsUrl, InResponseTo: head.inResponseTo }, status, assertion);
}

function response(
  { id, at, entityId }: ResponseHead,
  attributes: Readonly<Record<string, string | undefined>>,
  status: SamlStatus,
  assertion: XmlElement | undefined,
): XmlElement {
  return saml2p('Response', { ID: id, IssueInstant: samlInstant(at), Version: '2.0', ...attributes }, [
    saml2('Issuer', {}, [entityId]),
    statusElement(status),
    assertion,
  ]);
}
