// Rejections of dynamic registration and its management (RFC 7591, RFC 7592), and of the same members in a metadata
// document.

import { nulProblem } from '#shared/base/untrusted-values.ts';
import { declareOAuthRefusals } from '#shared/model/refusals/oauth-error.ts';
import { safeInDescription } from '#shared/protocol/oauth2/descriptions.ts';
import { docs, rfc } from '../references.ts';

const metadata = {
  error: 'invalid_client_metadata',
  expected: 'Client metadata as a JSON object.',
  standard: rfc(7591, '2'),
} as const;

const redirectUris = {
  error: 'invalid_redirect_uri',
  expected: 'At least one absolute redirect URI without a fragment.',
  standard: rfc(7591, '2'),
} as const;

interface Known {
  readonly known: readonly string[];
}

export const registrationRefusals = declareOAuthRefusals({
  metadata_media_type_wrong: {
    ...metadata,
    answer: 'The client metadata must be a JSON object sent as application/json.',
    standard: rfc(7591, '3.1'),
  },
  metadata_not_json: { ...metadata, answer: 'The body is not well-formed JSON in UTF-8.' },
  metadata_not_an_object: { ...metadata, answer: 'The client metadata must be a JSON object.' },
  metadata_with_nul: {
    ...metadata,
    answer: ({ member }: { member: string }) => `${safeInDescription(member)} ${nulProblem}.`,
    evidence: ({ member }: { member: string }) => ({ member: safeInDescription(member) }),
    expected: 'Client metadata without the character U+0000.',
  },
  grant_types_not_a_list: { ...metadata, answer: "'grant_types' must be a list of strings." },
  grant_type_not_served: {
    ...metadata,
    answer: ({ sent, known }: Known & { sent: string }) =>
      `'grant_types' contains an unsupported value: ${safeInDescription(sent)}. Supported: ${known.join(', ')}.`,
    evidence: ({ sent }: Known & { sent: string }) => ({ sent: safeInDescription(sent) }),
    expected: 'Grant types that discovery lists.',
  },
  authentication_method_unknown: {
    ...metadata,
    answer: ({ known }: Known) => `'token_endpoint_auth_method' must be one of: ${known.join(', ')}.`,
    expected: 'A token_endpoint_auth_method that discovery lists.',
  },
  redirect_uris_missing: { ...redirectUris, answer: "'redirect_uris' is missing." },
  redirect_uris_not_a_list: {
    ...metadata,
    answer: "'redirect_uris' must be a list of strings.",
    expected: redirectUris.expected,
  },
  redirect_uris_empty: { ...redirectUris, answer: "'redirect_uris' must not be empty." },
  redirect_uri_unusable: {
    ...redirectUris,
    answer: ({ sent, problem }: { sent: string; problem: string }) =>
      `'redirect_uris': ${safeInDescription(sent)} ${problem}.`,
    evidence: ({ sent }: { sent: string; problem: string }) => ({ sent: safeInDescription(sent) }),
  },
  post_logout_redirect_uris_not_a_list: {
    ...metadata,
    answer: "'post_logout_redirect_uris' must be a list of strings.",
    expected: 'Absolute URIs without a fragment.',
  },
  post_logout_redirect_uri_unusable: {
    ...metadata,
    answer: ({ sent, problem }: { sent: string; problem: string }) =>
      `'post_logout_redirect_uris': ${safeInDescription(sent)} ${problem}.`,
    evidence: ({ sent }: { sent: string; problem: string }) => ({ sent: safeInDescription(sent) }),
    expected: 'Absolute URIs without a fragment.',
  },
  metadata_member_unusable: {
    ...metadata,
    answer: ({ member, problem }: { member: string; problem: string }) => `'${member}' ${problem}.`,
    evidence: ({ member }: { member: string; problem: string }) => ({ member }),
    expected: 'Client metadata that this server supports.',
  },
  response_types_not_a_list: { ...metadata, answer: "'response_types' must be a list of strings." },
  response_type_not_served: {
    ...metadata,
    answer: ({ sent, known }: Known & { sent: string }) =>
      `'response_types' contains an unsupported value: ${safeInDescription(sent)}. Supported: ${known.join(', ')}.`,
    evidence: ({ sent }: Known & { sent: string }) => ({ sent: safeInDescription(sent) }),
    expected: 'Response types that discovery lists.',
  },
  scope_not_a_text: { ...metadata, answer: "'scope' must be a string." },
  no_scope_supported: {
    ...metadata,
    answer: ({ known }: Known) => `'scope' contains no supported scope. Supported: ${known.join(', ')}.`,
    expected: 'Scopes of oauth.scopes_supported.',
  },
  unknown_scope_not_registrable: {
    ...metadata,
    answer: "'scope' may have at most 50 unknown names of at most 200 characters (RFC 6749 3.3).",
    expected: 'At most 50 scopes outside oauth.scopes_supported, each a scope-token of at most 200 characters.',
  },
  client_name_not_a_text: { ...metadata, answer: "'client_name' must be a string." },
  registration_limit_reached: {
    error: 'registration_limit_reached',
    status: 429,
    answer: ({ clientsMax }: { clientsMax: number }) =>
      `The limit of ${clientsMax} registrations is reached. Delete one and try again.`,
    expected: 'Fewer registrations than oauth.dynamic_registration.max_clients.',
    standard: docs('settings.md#oauthdynamic_registration'),
  },
  registration_limit_of_pages_reached: {
    error: 'registration_limit_reached',
    status: 429,
    answer: ({ most, clientsMax }: { most: number; clientsMax: number }) =>
      `Pages of other sites have reached their limit of ${most} of ${clientsMax} registrations. Delete one, or add the origin of the page to cors_allowed_origins.`,
    expected: 'Fewer than half of oauth.dynamic_registration.max_clients from pages of unlisted origins.',
    standard: docs('settings.md#oauthdynamic_registration'),
  },
  registration_interrupted: {
    ...metadata,
    answer: 'A reset or a deletion interrupted the registration, so no client was registered. Try again.',
    expected: 'No reset of the runtime objects at the same time.',
    standard: rfc(7591, '3.2.2'),
  },
  /** The response never shows why a credential is wrong. */
  registration_access_token_wrong: {
    error: 'invalid_token',
    status: 401,
    headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
    answer: 'This registration does not exist, or the registration access token does not belong to it.',
    expected: 'The registration_access_token that the registration returned.',
    standard: rfc(7592, '3'),
    unrecorded: true,
  },
  registration_being_promoted: {
    error: 'promotion_in_progress',
    status: 409,
    answer: 'The client is being promoted to the configuration files. Try again.',
    expected: 'A registration that is not being promoted at the same time.',
    standard: docs('errors.md#rest-api'),
    unrecorded: true,
  },
});
