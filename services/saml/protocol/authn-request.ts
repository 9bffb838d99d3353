// Reads an AuthnRequest from its root element (SAML core §3.4.1). Values are as sent. verified-authn-request.ts decides
// whether they can be trusted. Scoping, Conditions, Extensions and AllowCreate are not read: they change nothing
// (SAM-23, SPM-22). RequestedAuthnContext and the indexes count for registered service providers only.
import { assertionNamespace, protocolNamespace } from '#shared/protocol/saml/vocabulary.ts';
import {
  attributeValue,
  childElements,
  firstChild,
  isNamed,
  scopeWith,
  textOf,
  withInheritedNamespaces,
  type XmlElement,
} from '#shared/protocol/saml/xml-element.ts';
import { type RequestedAuthnContext, readRequestedAuthnContext } from './requested-authn-context.ts';

interface RequestedSubject {
  readonly nameId: string | undefined;
  /** The EncryptedID in place of the identifier, as a standalone element. */
  readonly encrypted?: XmlElement;
}

/** Absent and empty values are undefined. */
export interface AuthnRequest {
  readonly id: string | undefined;
  readonly issuer: string | undefined;
  readonly acsUrl: string | undefined;
  readonly acsIndex: string | undefined;
  readonly attributeServiceIndex: string | undefined;
  readonly destination: string | undefined;
  readonly protocolBinding: string | undefined;
  readonly nameIdFormat: string | undefined;
  /** The namespace of the requested identifier: that of a service provider, or of an affiliation of several. */
  readonly spNameQualifier: string | undefined;
  readonly isPassive: boolean;
  readonly forceAuthn: boolean;
  /**
   * The user that the response must be about. `nameId` is undefined for an identifier that cannot be read (encrypted,
   * BaseID).
   */
  readonly subject: RequestedSubject | undefined;
  readonly authnContext: RequestedAuthnContext | undefined;
}

/** Replaces a request that could not be read in lenient mode (SAM-16). */
export const unreadableAuthnRequest: AuthnRequest = {
  id: undefined,
  issuer: undefined,
  acsUrl: undefined,
  acsIndex: undefined,
  attributeServiceIndex: undefined,
  destination: undefined,
  protocolBinding: undefined,
  nameIdFormat: undefined,
  spNameQualifier: undefined,
  isPassive: false,
  forceAuthn: false,
  subject: undefined,
  authnContext: undefined,
};

export function readAuthnRequest(root: XmlElement): AuthnRequest {
  const issuer = firstChild(root, assertionNamespace, 'Issuer');
  const policy = firstChild(root, protocolNamespace, 'NameIDPolicy');
  return {
    id: given(attributeValue(root, 'ID')),
    issuer: given(issuer && textOf(issuer).trim()),
    acsUrl: given(attributeValue(root, 'AssertionConsumerServiceURL')),
    acsIndex: given(attributeValue(root, 'AssertionConsumerServiceIndex')?.trim()),
    attributeServiceIndex: given(attributeValue(root, 'AttributeConsumingServiceIndex')?.trim()),
    destination: given(attributeValue(root, 'Destination')),
    protocolBinding: given(attributeValue(root, 'ProtocolBinding')),
    nameIdFormat: given(policy && attributeValue(policy, 'Format')),
    spNameQualifier: given(policy && attributeValue(policy, 'SPNameQualifier')),
    isPassive: isTrue(attributeValue(root, 'IsPassive')),
    forceAuthn: isTrue(attributeValue(root, 'ForceAuthn')),
    subject: requestedSubject(root),
    authnContext: readRequestedAuthnContext(root),
  };
}

/** A Subject without identifier matches any user who logs in (SAML core §3.4.1). */
function requestedSubject(root: XmlElement): AuthnRequest['subject'] {
  const subject = firstChild(root, assertionNamespace, 'Subject');
  const [identifier] = subject === undefined ? [] : childElements(subject);
  if (identifier === undefined || isNamed(identifier, assertionNamespace, 'SubjectConfirmation')) return undefined;
  if (isNamed(identifier, assertionNamespace, 'EncryptedID')) {
    const around = scopeWith(subject?.declarations ?? [], scopeWith(root.declarations, new Map()));
    return { nameId: undefined, encrypted: withInheritedNamespaces(identifier, around) };
  }
  const isReadable = isNamed(identifier, assertionNamespace, 'NameID');
  return { nameId: isReadable ? textOf(identifier).trim() : undefined };
}

/**
 * For strict reading: the code of the rejection when the root is not an AuthnRequest of SAML 2.0 (SAM-18). undefined
 * when it is one.
 */
export function authnRequestProblem(
  root: XmlElement,
): 'saml_request_of_another_kind' | 'saml_version_wrong' | undefined {
  if (!isNamed(root, protocolNamespace, 'AuthnRequest')) {
    return 'saml_request_of_another_kind';
  }
  if (attributeValue(root, 'Version') !== '2.0') return 'saml_version_wrong';
  return undefined;
}

function given(value: string | undefined): string | undefined {
  return value === '' ? undefined : value;
}

function isTrue(value: string | undefined): boolean {
  const lexical = value?.trim();
  return lexical === 'true' || lexical === '1';
}
