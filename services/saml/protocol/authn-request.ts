// What an AuthnRequest asks for, read from its root element (SAML core §3.4.1). Values are as sent; whether they may be
// believed is decided elsewhere (verified-authn-request.ts). RequestedAuthnContext, Scoping, Conditions, Extensions,
// AllowCreate and AssertionConsumerServiceIndex are not read: they change nothing (SAM-20, SAM-23).
import { assertionNamespace, protocolNamespace } from './vocabulary.ts';
import { attributeValue, firstChild, isNamed, textOf, type XmlElement } from './xml/xml-element.ts';

/** Absent and empty values are undefined. */
export interface AuthnRequest {
  readonly id: string | undefined;
  readonly issuer: string | undefined;
  readonly acsUrl: string | undefined;
  readonly destination: string | undefined;
  readonly protocolBinding: string | undefined;
  readonly nameIdFormat: string | undefined;
  readonly isPassive: boolean;
  readonly forceAuthn: boolean;
}

/** What stands in for a request that could not be read in lenient mode (SAM-16). */
export const unreadableAuthnRequest: AuthnRequest = {
  id: undefined,
  issuer: undefined,
  acsUrl: undefined,
  destination: undefined,
  protocolBinding: undefined,
  nameIdFormat: undefined,
  isPassive: false,
  forceAuthn: false,
};

export function readAuthnRequest(root: XmlElement): AuthnRequest {
  const issuer = firstChild(root, assertionNamespace, 'Issuer');
  const policy = firstChild(root, protocolNamespace, 'NameIDPolicy');
  return {
    id: given(attributeValue(root, 'ID')),
    issuer: given(issuer && textOf(issuer).trim()),
    acsUrl: given(attributeValue(root, 'AssertionConsumerServiceURL')),
    destination: given(attributeValue(root, 'Destination')),
    protocolBinding: given(attributeValue(root, 'ProtocolBinding')),
    nameIdFormat: given(policy && attributeValue(policy, 'Format')),
    isPassive: isTrue(attributeValue(root, 'IsPassive')),
    forceAuthn: isTrue(attributeValue(root, 'ForceAuthn')),
  };
}

/** Why the root is no AuthnRequest of SAML 2.0, for strict reading (SAM-18); undefined when it is one. */
export function authnRequestProblem(root: XmlElement): string | undefined {
  if (!isNamed(root, protocolNamespace, 'AuthnRequest')) {
    return 'SAMLRequest must hold an AuthnRequest of the SAML 2.0 protocol.';
  }
  if (attributeValue(root, 'Version') !== '2.0') return 'The Version of the AuthnRequest must be 2.0.';
  return undefined;
}

function given(value: string | undefined): string | undefined {
  return value === '' ? undefined : value;
}

function isTrue(value: string | undefined): boolean {
  const lexical = value?.trim();
  return lexical === 'true' || lexical === '1';
}
