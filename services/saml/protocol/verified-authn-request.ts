// A verified request, as a separate type. Only this module creates it, from the proof that the active policy demands,
// so that no unverified request can replace it. It holds the values of exactly the verified element, its binding, and
// the SAMLRequest and RelayState that the login form carries on.

import type { SignedElement } from '#shared/engine/saml-signing/signed-element.ts';
import type { XmlElement } from '#shared/protocol/saml/xml-element.ts';
import { type AuthnRequest, readAuthnRequest, unreadableAuthnRequest } from './authn-request.ts';
import { violationsOf } from './authn-request-violations.ts';
import type { Binding } from './bindings.ts';

/** The two parameters of the message, as decoded from the transport. */
export interface SamlMessage {
  readonly samlRequest: string;
  /** undefined: none was sent (SRE-10). */
  readonly relayState: string | undefined;
}

/**
 * Why the request can be trusted. not_required: signatures are not demanded; redirect_signature: the query was signed;
 * remembered: this browser sent exactly this signed redirect before; enveloped_signature: the root element was signed.
 */
type Proof = 'not_required' | 'redirect_signature' | 'remembered' | 'enveloped_signature';

declare const made: unique symbol;

export interface VerifiedAuthnRequest extends AuthnRequest {
  readonly [made]: true;
  readonly binding: Binding;
  readonly message: SamlMessage;
  readonly proof: Proof;
  /** Violations of SAML that are tolerated, one sentence each, for the log. */
  readonly violations: readonly string[];
}

/** A query whose signature was verified. Only the signature check creates it. */
export class SignedQuery {
  readonly message: SamlMessage;
  /** @internal for signing/verify-redirect.ts */
  constructor(message: SamlMessage) {
    this.message = message;
  }
}

/** `root` is undefined for a message that lenient reading could not read (SAM-16). */
type ReadRoot = XmlElement | undefined;

export function withoutSignature(message: SamlMessage, binding: Binding, root: ReadRoot): VerifiedAuthnRequest {
  return make(message, binding, 'not_required', root);
}

/** `read` reads the signed message, so that no other one can replace it. */
export function bySignedQuery(signed: SignedQuery, read: (message: SamlMessage) => ReadRoot): VerifiedAuthnRequest {
  return make(signed.message, 'GET', 'redirect_signature', read(signed.message));
}

export function byMemory(remembered: SamlMessage, root: ReadRoot): VerifiedAuthnRequest {
  return make(remembered, 'GET', 'remembered', root);
}

export function bySignedElement(message: SamlMessage, signed: SignedElement): VerifiedAuthnRequest {
  return make(message, 'POST', 'enveloped_signature', signed.root);
}

function make(message: SamlMessage, binding: Binding, proof: Proof, root: ReadRoot): VerifiedAuthnRequest {
  const values = root === undefined ? unreadableAuthnRequest : readAuthnRequest(root);
  const violations = root === undefined ? [] : violationsOf(root, { binding, relayState: message.relayState });
  return { ...values, message, binding, proof, violations } as VerifiedAuthnRequest;
}
