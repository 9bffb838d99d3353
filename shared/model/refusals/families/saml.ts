// Rejections by /saml/sso and /saml/attribute-query: a page, a status for the service provider, or a SOAP fault.

import { requestBytesMax } from '#shared/base/small-pieces.ts';
import { nulProblem } from '#shared/base/untrusted-values.ts';
import { bytesText } from '../quantities.ts';
import { docs, samlBindings, samlCore, samlProfiles, soap } from '../references.ts';
import { declareRefusals } from '../refusal.ts';
import { bodyInSmallPieces, tooLarge } from '../wordings.ts';

const readable = {
  expected: 'An AuthnRequest in base64. In the query it is also deflated before that.',
  standard: samlBindings('3.4.4.1'),
} as const;

const authnRequest = {
  expected: 'A well-formed AuthnRequest that the binding and the settings allow.',
  standard: samlCore('3.4.1'),
} as const;

const destination = {
  expected: 'A Destination that names this endpoint. Unsigned requests can omit it.',
  standard: samlBindings('3.5.5.2'),
  answer: ({ expected }: { sent: string | undefined; expected: string }) =>
    `The Destination of the AuthnRequest must be ${expected}.`,
  evidence: ({ sent, expected }: { sent: string | undefined; expected: string }) => ({ sent: sent ?? null, expected }),
} as const;

const consumer = {
  expected: 'An absolute AssertionConsumerServiceURL, or the setting saml.default_acs_url.',
  standard: samlCore('3.4.1'),
} as const;

const query = {
  expected: 'A SOAP envelope with an AttributeQuery for a known NameID.',
  standard: samlCore('3.3.2.3'),
} as const;

const logoutMessage = {
  expected: 'A signed LogoutRequest or LogoutResponse of a registered service provider, for this address.',
  standard: samlCore('3.7'),
} as const;

const said = ({ sentence }: { sentence: string }) => sentence;

export const samlRefusals = declareRefusals({
  // a page, since there is no service provider to respond to
  saml_encoding_unknown: {
    ...readable,
    answer: ({ known }: { known: string }) => `SAMLEncoding must be ${known} or absent.`,
    reason: 'unknown SAMLEncoding',
  },
  relay_state_with_nul: {
    answer: `The RelayState ${nulProblem}.`,
    reason: 'RelayState with U+0000',
    expected: 'A RelayState without the character U+0000, which an HTML form cannot carry.',
    standard: samlBindings('3.5.3'),
  },
  saml_request_unreadable: {
    ...readable,
    answer: said,
    reason: 'unreadable SAMLRequest',
    evidence: ({ sentence }: { sentence: string }) => ({ problem: sentence }),
    expected:
      'An AuthnRequest in the form of its binding: HTTP-Redirect deflates and base64-encodes, HTTP-POST only base64-encodes.',
  },
  saml_request_of_another_kind: {
    ...authnRequest,
    answer: 'SAMLRequest must contain an AuthnRequest of the SAML 2.0 protocol.',
  },
  saml_version_wrong: { ...authnRequest, answer: 'The Version of the AuthnRequest must be 2.0.' },
  saml_destination_missing: {
    ...destination,
    answer: ({ expected }: { sent: string | undefined; expected: string }) =>
      `The Destination of the signed AuthnRequest must be ${expected}.`,
    reason: 'signed AuthnRequest without Destination',
  },
  saml_destination_wrong: { ...destination, reason: 'wrong Destination' },
  assertion_consumer_service_missing: {
    ...consumer,
    answer: 'The AuthnRequest has no AssertionConsumerServiceURL, and saml.default_acs_url is empty.',
    reason: 'the assertion consumer service URL is missing',
  },
  assertion_consumer_service_wrong: {
    ...consumer,
    answer: 'AssertionConsumerServiceURL must be an absolute http or https URL.',
    reason: 'invalid assertion consumer service URL',
  },
  service_provider_not_registered: {
    answer:
      'No service provider is registered with the Issuer of this message, and this server rejects unregistered ones.',
    reason: 'unregistered service provider',
    expected: 'An Issuer that saml.service_providers names, or saml.unregistered: allow.',
    standard: docs('settings.md#saml'),
  },
  idp_initiated_unknown: {
    answer: 'No service provider is registered with the entity ID in sp.',
    reason: 'unknown service provider for an IdP-initiated login',
    expected: 'An sp that is the entity ID of a registered service provider.',
    standard: samlProfiles('4.1.5'),
  },
  idp_initiated_unwanted: {
    answer: 'This service provider does not accept IdP-initiated logins: its entry has idp_initiated: false.',
    reason: 'the service provider does not accept IdP-initiated logins',
    expected: 'A service provider without idp_initiated: false in its entry.',
    standard: samlProfiles('4.1.5'),
  },
  acs_by_url_and_index: {
    answer:
      'The AuthnRequest has both AssertionConsumerServiceURL and AssertionConsumerServiceIndex. Send only one of them.',
    reason: 'both AssertionConsumerServiceURL and AssertionConsumerServiceIndex',
    expected: 'AssertionConsumerServiceURL, AssertionConsumerServiceIndex, or neither.',
    standard: samlCore('3.4.1'),
  },
  acs_not_registered: {
    answer: 'The AssertionConsumerServiceURL is not registered for this service provider.',
    reason: 'unregistered assertion consumer service URL',
    evidence: ({ sent, registered }: { sent: string; registered: readonly string[] }) => ({
      sent,
      expected: registered,
    }),
    expected: 'Exactly one of the URLs in the acs list of the service provider.',
    standard: samlCore('3.4.1'),
  },
  acs_index_unknown: {
    answer: 'No registered HTTP-POST service has this AssertionConsumerServiceIndex.',
    reason: 'unknown AssertionConsumerServiceIndex',
    evidence: ({ sent }: { sent: string }) => ({ sent }),
    expected: 'An index in the acs list of the service provider.',
    standard: samlCore('3.4.1'),
  },
  acs_not_declared: {
    answer: 'This service provider has no assertion consumer service with HTTP-POST.',
    reason: 'service provider without an assertion consumer service',
    expected: 'An acs list or metadata with an HTTP-POST URL.',
    standard: samlCore('3.4.1'),
  },
  saml_session_user_gone: {
    answer: 'the user of the session no longer exists',
    expected: 'A session whose user exists. Log in again.',
    standard: samlCore('3.4.1'),
  },
  // a page of /saml/slo
  saml_logout_unreadable: { ...logoutMessage, answer: said, reason: 'the SAML message cannot be read' },
  saml_logout_of_another_kind: {
    ...logoutMessage,
    answer: 'The message must be a LogoutRequest or a LogoutResponse, in the parameter of its kind.',
  },
  saml_logout_version_wrong: { ...logoutMessage, answer: 'The Version of the message must be 2.0.' },
  saml_logout_incomplete: {
    ...logoutMessage,
    answer:
      'The message is incomplete. A LogoutRequest needs an ID and a valid IssueInstant, and NotOnOrAfter must be valid if present. A LogoutResponse needs a StatusCode.',
  },
  saml_logout_principal_unclear: {
    ...logoutMessage,
    answer: 'A LogoutRequest must have exactly one NameID or EncryptedID.',
  },
  saml_logout_destination_wrong: {
    ...logoutMessage,
    answer: ({ expected }: { sent: string | undefined; expected: string }) =>
      `The Destination of the message must be ${expected}.`,
    evidence: ({ sent, expected }: { sent: string | undefined; expected: string }) => ({
      sent: sent ?? null,
      expected,
    }),
  },
  saml_logout_not_asked: {
    ...logoutMessage,
    answer: 'No logout in progress in this browser is waiting for this LogoutResponse.',
  },
  saml_logout_none_under_way: {
    ...logoutMessage,
    answer: ({ address }: { address: string }) =>
      `No logout is in progress in this browser. A service provider starts one with a LogoutRequest to ${address}.`,
  },
  // a LogoutResponse with a status, or the outcome of a notified participant
  saml_logout_expired: {
    ...logoutMessage,
    answer: 'The LogoutRequest has expired (NotOnOrAfter).',
    reason: 'Requester/RequestDenied: the request has expired (NotOnOrAfter).',
  },
  saml_logout_unknown: {
    ...logoutMessage,
    answer: 'No session matches the NameID and SessionIndex of the request.',
    reason: 'Requester/UnknownPrincipal: no session matches the NameID and SessionIndex of the request.',
  },
  saml_logout_not_confirmed: {
    ...logoutMessage,
    answer: 'The service provider did not confirm the logout, or has no single logout URL.',
  },
  // a Response with a status: the answer is its StatusMessage (SRE-09)
  no_passive: {
    answer: 'IsPassive forbids a login form, and no login of this browser can be used.',
    reason: 'Responder/NoPassive',
    expected: 'A session of this browser, because IsPassive forbids a login form.',
    standard: samlCore('3.4.1'),
  },
  authn_context_unmet: {
    answer: 'No available login satisfies the RequestedAuthnContext.',
    reason: 'Responder/NoAuthnContext',
    evidence: ({ sent }: { sent: readonly string[] }) => ({ sent: [...sent] }),
    expected: 'A RequestedAuthnContext that this user can reach with the login mode, second factors and login.acr.',
    standard: samlCore('3.3.2.2.1'),
  },
  saml_login_cancelled: {
    answer: 'The user cancelled the login.',
    reason: 'Responder/AuthnFailed',
    expected: 'A user who completes the login. This user pressed Cancel.',
    standard: samlCore('3.2.2.2'),
  },
  name_id_policy_not_supported: {
    answer: 'The Format of the NameIDPolicy is not supported.',
    reason: 'Requester/InvalidNameIDPolicy',
    evidence: ({ sent }: { sent: string | undefined }) => ({ sent: sent ?? null }),
    expected: 'A NameIDPolicy with the format emailAddress, persistent, transient or unspecified, or no NameIDPolicy.',
    standard: samlCore('3.4.1.1'),
  },
  name_id_source_empty: {
    answer: 'The user does not have exactly one value at name_id_from of this service provider.',
    reason: 'Requester/InvalidNameIDPolicy',
    evidence: ({ source }: { source: string }) => ({ source }),
    expected: 'A user with exactly one value at the source that name_id_from of the service provider names.',
    standard: samlCore('3.4.1.1'),
  },
  attribute_service_index_unknown: {
    answer: 'This service provider has no attribute_services with the AttributeConsumingServiceIndex.',
    reason: 'Requester/RequestUnsupported',
    evidence: ({ sent }: { sent: string | undefined }) => ({ sent: sent ?? null }),
    expected: 'An index in attribute_services of the service provider, or no AttributeConsumingServiceIndex.',
    standard: samlCore('3.4.1'),
  },
  name_qualifier_of_another_provider: {
    answer: 'SPNameQualifier of the NameIDPolicy names another service provider.',
    reason: 'Requester/InvalidNameIDPolicy',
    expected: 'The Issuer of the request as SPNameQualifier, or no SPNameQualifier.',
    standard: samlCore('3.4.1.1'),
  },
  protocol_binding_not_supported: {
    answer: 'The ProtocolBinding is not HTTP-POST.',
    reason: 'Requester/UnsupportedBinding',
    expected: 'HTTP-POST as ProtocolBinding, or no ProtocolBinding. Responses are posted.',
    standard: samlCore('3.4.1'),
  },
  subject_unknown: {
    answer: 'The Subject of the request names no known user.',
    reason: 'Requester/UnknownPrincipal',
    expected: 'A Subject with the NameID of a user, as an assertion of this server contained it, or no Subject.',
    standard: samlCore('3.3.2'),
  },
  subject_is_another_user: {
    answer: 'The Subject of the request names another user than the one who logged in.',
    reason: 'Requester/UnknownPrincipal',
    expected: 'A login of the user in the Subject of the request.',
    standard: samlCore('3.3.4'),
  },
  // a SOAP fault, or a status inside SOAP
  attribute_query_too_large: {
    ...query,
    answer: tooLarge('The body', requestBytesMax),
    reason: `body larger than ${bytesText(requestBytesMax)}`,
    expected: `A body of at most ${bytesText(requestBytesMax)}.`,
  },
  attribute_query_in_small_pieces: {
    ...query,
    answer: bodyInSmallPieces,
    reason: 'body in too many small pieces',
    expected: 'A body in larger chunks.',
  },
  attribute_query_unreadable: { ...query, answer: said },
  attribute_query_missing: { ...query, answer: 'The body has no AttributeQuery inside a SOAP envelope.' },
  attribute_query_without_subject: { ...query, answer: 'The AttributeQuery has no Subject.' },
  attribute_query_without_name_id: { ...query, answer: 'The Subject of the AttributeQuery has no NameID.' },
  soap_header_not_understood: {
    answer: said,
    expected: 'No header block with mustUnderstand.',
    standard: soap('4.2.3'),
  },
  name_id_unknown: {
    answer: 'The NameID of the query belongs to no user.',
    reason: 'Requester/UnknownPrincipal',
    expected: 'The NameID of a user, as an assertion of this server contained it.',
    standard: samlCore('3.3.2'),
  },
});
