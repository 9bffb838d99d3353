// Rejections by /saml/sso and /saml/attribute-query: a page, a status for the service provider, or a SOAP fault.

import { smallPieces } from '#shared/base/small-pieces.ts';
import { nulProblem } from '#shared/base/untrusted-values.ts';
import { docs, samlBindings, samlCore, samlProfiles, soap } from '../references.ts';
import { declareRefusals } from '../refusal.ts';

const readable = {
  expected: 'An AuthnRequest in base64, deflated before it when it comes in the query.',
  standard: samlBindings('3.4.4.1'),
} as const;

const authnRequest = {
  expected: 'A well-formed AuthnRequest that its binding and the settings allow.',
  standard: samlCore('3.4.1'),
} as const;

const destination = {
  expected: 'A Destination that names this endpoint, or none where nothing is signed.',
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
  expected: 'A signed LogoutRequest or LogoutResponse of a registered service provider that is meant for this address.',
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
      'An AuthnRequest in the form of its binding: in base64, by HTTP-Redirect deflated before that and by HTTP-POST not.',
  },
  saml_request_of_another_kind: {
    ...authnRequest,
    answer: 'SAMLRequest must hold an AuthnRequest of the SAML 2.0 protocol.',
  },
  saml_version_wrong: { ...authnRequest, answer: 'The Version of the AuthnRequest must be 2.0.' },
  saml_destination_missing: {
    ...destination,
    answer: ({ expected }: { sent: string | undefined; expected: string }) =>
      `The Destination of the signed AuthnRequest must be ${expected}.`,
    reason: 'no Destination in a signed AuthnRequest',
  },
  saml_destination_wrong: { ...destination, reason: 'wrong Destination' },
  assertion_consumer_service_missing: {
    ...consumer,
    answer: 'The AuthnRequest names no AssertionConsumerServiceURL and saml.default_acs_url is empty.',
    reason: 'no assertion consumer service address',
  },
  assertion_consumer_service_wrong: {
    ...consumer,
    answer: 'The AssertionConsumerServiceURL must be an absolute http or https address.',
    reason: 'wrong assertion consumer service address',
  },
  service_provider_not_registered: {
    answer: 'No service provider is registered under the Issuer of this message, and others are refused here.',
    reason: 'unregistered service provider',
    expected: 'An Issuer that saml.service_providers names, or saml.unregistered: allow.',
    standard: docs('settings.md#saml'),
  },
  idp_initiated_unknown: {
    answer: 'No service provider is registered under the entity ID that sp names.',
    reason: 'unknown service provider for a login begun here',
    expected: 'An sp that is the entity ID of a registered service provider.',
    standard: samlProfiles('4.1.5'),
  },
  idp_initiated_unwanted: {
    answer: 'This service provider takes no login that begins here: idp_initiated is false in its entry.',
    reason: 'login begun here is not wanted by the service provider',
    expected: 'A service provider whose entry does not say idp_initiated: false.',
    standard: samlProfiles('4.1.5'),
  },
  acs_by_url_and_index: {
    answer: 'The AuthnRequest names its assertion consumer service by URL and by index at once.',
    reason: 'assertion consumer service by URL and by index',
    expected: 'AssertionConsumerServiceURL, AssertionConsumerServiceIndex or neither.',
    standard: samlCore('3.4.1'),
  },
  acs_not_registered: {
    answer: 'The AssertionConsumerServiceURL is not one of those registered for this service provider.',
    reason: 'assertion consumer service address that is not registered',
    evidence: ({ sent, registered }: { sent: string; registered: readonly string[] }) => ({
      sent,
      expected: registered,
    }),
    expected: 'An address of its acs list, character for character.',
    standard: samlCore('3.4.1'),
  },
  acs_index_unknown: {
    answer: 'The AssertionConsumerServiceIndex is that of no registered service with HTTP-POST.',
    reason: 'unknown AssertionConsumerServiceIndex',
    evidence: ({ sent }: { sent: string }) => ({ sent }),
    expected: 'An index of its acs list.',
    standard: samlCore('3.4.1'),
  },
  acs_not_declared: {
    answer: 'This service provider has no assertion consumer service with HTTP-POST.',
    reason: 'registered service provider without assertion consumer service',
    expected: 'An acs list with an HTTP-POST address, or metadata with one.',
    standard: samlCore('3.4.1'),
  },
  saml_session_user_gone: {
    answer: 'the user of the session no longer exists',
    expected: 'A session whose user still exists; a new login makes one.',
    standard: samlCore('3.4.1'),
  },
  // a page of /saml/slo
  saml_logout_unreadable: { ...logoutMessage, answer: said, reason: 'the SAML message cannot be read' },
  saml_logout_of_another_kind: {
    ...logoutMessage,
    answer: 'The message is neither a LogoutRequest nor a LogoutResponse where one belongs.',
  },
  saml_logout_version_wrong: { ...logoutMessage, answer: 'The Version of the message must be 2.0.' },
  saml_logout_incomplete: {
    ...logoutMessage,
    answer: 'The message lacks an ID, a usable IssueInstant or NotOnOrAfter, or its Status.',
  },
  saml_logout_principal_unclear: {
    ...logoutMessage,
    answer: 'A LogoutRequest must have one NameID or one EncryptedID.',
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
    answer: 'No logout that is under way in this browser asked for this answer.',
  },
  saml_logout_none_under_way: {
    ...logoutMessage,
    answer: ({ address }: { address: string }) =>
      `No logout is under way in this browser. A service provider begins one by a LogoutRequest to ${address}.`,
  },
  // a LogoutResponse with a status, or the outcome of a notified participant
  saml_logout_expired: { ...logoutMessage, answer: 'Requester/RequestDenied: NotOnOrAfter of the request is over.' },
  saml_logout_unknown: {
    ...logoutMessage,
    answer: 'Requester/UnknownPrincipal: no session matches the NameID and SessionIndex of the request.',
  },
  saml_logout_not_confirmed: {
    ...logoutMessage,
    answer: 'The service provider did not confirm the logout, or has no address for it.',
  },
  // a Response with a status
  no_passive: {
    answer: 'Responder/NoPassive',
    expected: 'A session of this browser, since IsPassive forbids to ask for a login.',
    standard: samlCore('3.4.1'),
  },
  authn_context_unmet: {
    answer: 'Responder/NoAuthnContext',
    evidence: ({ sent }: { sent: readonly string[] }) => ({ sent: [...sent] }),
    expected: 'A RequestedAuthnContext that the login mode, second factors and login.acr can reach for this user.',
    standard: samlCore('3.3.2.2.1'),
  },
  saml_login_cancelled: {
    answer: 'Responder/AuthnFailed',
    expected: 'A person who logs in; this one pressed Cancel.',
    standard: samlCore('3.2.2.2'),
  },
  name_id_policy_not_supported: {
    answer: 'Requester/InvalidNameIDPolicy',
    evidence: ({ sent }: { sent: string | undefined }) => ({ sent: sent ?? null }),
    expected: 'A NameIDPolicy with the format emailAddress, persistent, transient or unspecified, or none.',
    standard: samlCore('3.4.1.1'),
  },
  name_id_source_empty: {
    answer: 'Requester/InvalidNameIDPolicy',
    evidence: ({ source }: { source: string }) => ({ source }),
    expected: 'A user who has exactly one text at the source that name_id_from of the service provider names.',
    standard: samlCore('3.4.1.1'),
  },
  attribute_service_index_unknown: {
    answer: 'Requester/RequestUnsupported',
    evidence: ({ sent }: { sent: string | undefined }) => ({ sent: sent ?? null }),
    expected: 'An AttributeConsumingServiceIndex of its attribute_services, or none.',
    standard: samlCore('3.4.1'),
  },
  name_qualifier_of_another_provider: {
    answer: 'Requester/InvalidNameIDPolicy',
    expected: 'An SPNameQualifier that is the Issuer of the request, or none.',
    standard: samlCore('3.4.1.1'),
  },
  protocol_binding_not_supported: {
    answer: 'Requester/UnsupportedBinding',
    expected: 'A ProtocolBinding of HTTP-POST, or none: answers are posted.',
    standard: samlCore('3.4.1'),
  },
  subject_unknown: {
    answer: 'Requester/UnknownPrincipal',
    expected: 'A Subject whose NameID belongs to a user as an assertion of this server carried it, or none.',
    standard: samlCore('3.3.2'),
  },
  subject_is_another_user: {
    answer: 'Requester/UnknownPrincipal',
    expected: 'A login of the user whom the Subject of the request names.',
    standard: samlCore('3.3.4'),
  },
  // a SOAP fault, or a status inside SOAP
  attribute_query_too_large: {
    ...query,
    answer: 'The body is larger than 1 MiB.',
    reason: 'body above 1 MiB',
    expected: 'A body of at most 1 MiB.',
  },
  attribute_query_in_small_pieces: {
    ...query,
    answer: `The body arrives in more than ${smallPieces.countMax} pieces of less than ${smallPieces.bytesBelow} bytes.`,
    reason: 'body in too many pieces',
    expected: 'A body in larger chunks.',
  },
  attribute_query_unreadable: { ...query, answer: said },
  attribute_query_missing: { ...query, answer: 'The body holds no AttributeQuery inside a SOAP envelope.' },
  attribute_query_without_subject: { ...query, answer: 'The AttributeQuery has no Subject.' },
  attribute_query_without_name_id: { ...query, answer: 'The Subject of the AttributeQuery has no NameID.' },
  soap_header_not_understood: {
    answer: said,
    expected: 'No header block with mustUnderstand.',
    standard: soap('4.2.3'),
  },
  name_id_unknown: {
    answer: 'Requester/UnknownPrincipal',
    expected: 'The NameID of a user as an assertion of this server carried it.',
    standard: samlCore('3.3.2'),
  },
});
