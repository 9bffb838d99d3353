// Rejections by /token: the parameters that all grants share, then each grant.

import { tokenLifetimeMinutes } from '#shared/model/configuration/settings/oauth.ts';
import { authorizationCodeLifetimeSeconds } from '#shared/model/domain/authorization-code.ts';
import { slowDownSeconds } from '#shared/model/domain/device-grant.ts';
import { declareOAuthRefusals } from '#shared/model/refusals/oauth-error.ts';
import { safeInDescription } from '#shared/protocol/oauth2/descriptions.ts';
import { minutesText } from '../quantities.ts';
import { docs, rfc } from '../references.ts';

const lifetime = `whole number of minutes from ${tokenLifetimeMinutes.least} to ${tokenLifetimeMinutes.most}`;

const extra = {
  error: 'invalid_request',
  expected: 'A JSON object that sets none of the claims the server answers for.',
  standard: docs('errors.md#oauth-20-and-openid-connect'),
} as const;

const grant = { error: 'invalid_grant' } as const;

/** The same message for unknown, expired, used and foreign codes. */
const code = {
  ...grant,
  answer:
    "'code' is unknown, expired, already used or was issued to another client; start a new authorization request.",
  expected: `A code issued to this client, less than ${minutesText(authorizationCodeLifetimeSeconds)} old and for the first time.`,
  standard: rfc(6749, '4.1.3'),
} as const;

const verifier = {
  ...grant,
  expected: 'The code_verifier whose SHA-256 is the code_challenge of the request.',
  standard: rfc(7636, '4.6'),
} as const;

const mismatch = "'code_verifier' does not match the code_challenge of the authorization request";

/** The same message for all of them, so that a client does not learn why another client's token failed. */
const refreshToken = {
  ...grant,
  answer:
    "'refresh_token' is not a valid refresh token of this client: it is malformed, expired, revoked or already used.",
  expected: 'A refresh token of this client that is neither expired, spent nor revoked.',
  standard: rfc(6749, '6'),
} as const;

const deviceCode = {
  ...grant,
  answer: "'device_code' is unknown, already used or was issued to another client; begin the device flow anew.",
  expected: 'A device_code issued to this client, approved, before its time is over and for the first time.',
  standard: rfc(8628, '3.5'),
} as const;

const vanishedUser = { ...grant, expected: 'A user who still exists.', standard: rfc(6749, '5.2') } as const;

export const tokenRefusals = declareOAuthRefusals({
  form_required: {
    error: 'invalid_request',
    answer: 'The body must be application/x-www-form-urlencoded.',
    expected: 'The parameters as application/x-www-form-urlencoded.',
    standard: rfc(6749, '3.2'),
  },
  grant_type_missing: {
    error: 'invalid_request',
    answer: "'grant_type' is required and was not sent.",
    expected: 'A grant_type that this server serves.',
    standard: rfc(6749, '5.2'),
  },
  grant_type_not_supported: {
    error: 'unsupported_grant_type',
    answer: ({ served }: { served: readonly string[] }) => `'grant_type' must be one of: ${served.join(', ')}.`,
    expected: 'A grant_type that this server serves.',
    standard: rfc(6749, '5.2'),
  },
  grant_parameter_missing: {
    error: 'invalid_request',
    answer: ({ parameter }: { parameter: string }) =>
      `'${parameter}' is required for this grant_type and was not sent.`,
    evidence: ({ parameter }: { parameter: string }) => ({ parameter }),
    expected: 'A grant with all of its parameters.',
    standard: rfc(6749, '5.2'),
  },
  lifetime_not_acceptable: {
    error: 'invalid_request',
    answer: `'exp' must be a ${lifetime}.`,
    expected: `A ${lifetime}.`,
    standard: docs('errors.md#oauth-20-and-openid-connect'),
  },
  extra_not_an_object: {
    ...extra,
    answer: "'extra' must be a JSON object whose members are the claims to add.",
  },
  extra_too_deep: {
    ...extra,
    answer: ({ levelsMax }: { levelsMax: number }) => `'extra' must not be nested deeper than ${levelsMax} levels.`,
  },
  extra_number_rounded: {
    ...extra,
    answer: ({ names }: { names: readonly string[] }) =>
      `'extra' holds numbers that would be rounded, whole ones beyond 2^53 (up to 1e21) or any beyond 1.8e308: ${names.map(safeInDescription).join(', ')}. Send them as strings.`,
    expected: 'Whole numbers up to 2^53 - 1 and others up to 1.8e308, or larger ones as strings.',
  },
  extra_names_reserved_claim: {
    ...extra,
    answer: ({ names }: { names: readonly string[] }) => `'extra' cannot set: ${names.join(', ')}`,
    reason: 'extra names a refused claim',
  },
  // authorization_code
  code_unknown: { ...code, reason: 'Unknown or expired code' },
  code_of_another_client: { ...code, reason: 'The code was issued to another client' },
  code_used: { ...code, reason: 'The code was used before' },
  redirect_uri_differs: {
    ...grant,
    answer: "'redirect_uri' differs from the one of the authorization request.",
    evidence: ({ sent, expected }: { sent: string; expected: string }) => ({ sent, expected }),
    expected: 'The redirect_uri of the authorization request again.',
    standard: rfc(6749, '4.1.3'),
  },
  code_verifier_unexpected: {
    ...verifier,
    answer: "'code_verifier' was sent for a code that was requested without a code_challenge.",
    expected: 'A code_challenge in the authorization request, or no code_verifier.',
    standard: rfc(9700, '2.1.1'),
  },
  code_verifier_missing: {
    ...verifier,
    answer: "'code_verifier' is required: the code was requested with PKCE.",
  },
  code_verifier_malformed: {
    ...verifier,
    answer: "'code_verifier' must be 43 to 128 unreserved characters (RFC 7636 section 4.1).",
    standard: rfc(7636, '4.1'),
  },
  pkce_mismatch: {
    ...verifier,
    answer: `${mismatch}.`,
    evidence: ({ challenge, method }: { challenge: string; method: string }) => ({
      code_challenge: challenge,
      code_challenge_method: method,
    }),
    expected:
      'The code_verifier of the same login: its SHA-256 is the code_challenge that was sent for it. A client keeps one for each login, beside its state.',
  },
  /**
   * A padded or hexadecimal challenge matches no verifier. A developer who checks only the verifier would never find
   * that.
   */
  code_challenge_unmatchable: {
    ...verifier,
    answer: `${mismatch}, which is not the form of S256: 43 base64url characters without padding (RFC 7636 section 4.2).`,
    standard: rfc(7636, '4.2'),
  },
  code_session_over: {
    ...grant,
    answer: "The session in which 'code' was given has ended; start a new authorization request.",
    expected: 'A code of a session that still lives, while login.session is on.',
    standard: rfc(6749, '5.2'),
  },
  code_user_gone: { ...vanishedUser, answer: 'The user who authorized this no longer exists.' },
  // client_credentials
  client_credentials_of_public_client: {
    error: 'unauthorized_client',
    answer: 'A public client (token_endpoint_auth_method none) has no credentials to use with this grant_type.',
    expected: 'A confidential client: this grant rests on its secret alone.',
    standard: rfc(6749, '4.4'),
    registered: 'authentication',
  },
  // password
  username_blank: {
    error: 'invalid_request',
    answer: "'username' must not be blank.",
    expected: 'The name of a user.',
    standard: rfc(6749, '4.3.2'),
  },
  resource_owner_credentials_wrong: {
    ...grant,
    answer: 'The user name and password do not match a user of this server.',
    expected: 'The name of a user and exactly the password of its entry.',
    standard: rfc(6749, '4.3.2'),
  },
  // refresh_token
  refresh_token_malformed: { ...refreshToken, reason: 'The refresh token does not verify: it is no signed JWT' },
  refresh_token_signature_wrong: {
    ...refreshToken,
    reason: 'The refresh token does not verify: its signature is wrong',
  },
  refresh_token_key_unknown: {
    ...refreshToken,
    reason: 'The refresh token does not verify: no key of this server has its kid',
  },
  refresh_token_elsewhere: {
    ...refreshToken,
    reason: 'The refresh token was issued by another sandbox, by one that has ended or was reset, or by none',
  },
  refresh_token_algorithm_wrong: {
    ...refreshToken,
    reason: 'The refresh token does not verify: it has another algorithm',
  },
  refresh_token_expiry_missing: { ...refreshToken, reason: 'The refresh token has no exp' },
  refresh_token_not_yet_valid: { ...refreshToken, reason: 'The refresh token is not valid yet' },
  refresh_token_expired: { ...refreshToken, reason: 'The refresh token expired' },
  not_a_refresh_token: { ...refreshToken, reason: 'The token is not a refresh token' },
  refresh_token_without_client: { ...refreshToken, reason: 'The refresh token is bound to no client' },
  refresh_token_incomplete: { ...refreshToken, reason: 'The refresh token is incomplete' },
  refresh_token_of_another_audience: { ...refreshToken, reason: 'The refresh token has another audience' },
  refresh_token_of_another_client: { ...refreshToken, reason: 'The refresh token was issued to another client' },
  refresh_token_reused: { ...refreshToken, reason: 'Refresh token reused' },
  refresh_token_revoked: { ...refreshToken, reason: 'Refresh token revoked' },
  refresh_token_claims_gone: {
    ...grant,
    answer: 'The claims that were typed for the login of this refresh token are no longer kept; log in again.',
    expected: 'A refresh token of a login whose typed claims the store still has.',
    standard: docs('settings.md#login'),
  },
  refresh_token_user_gone: { ...vanishedUser, answer: 'The user of this refresh token no longer exists.' },
  // device_code
  device_grant_of_metadata_document: {
    error: 'unauthorized_client',
    answer: 'A client identified by a metadata document cannot use the device grant.',
    expected: 'A declared or runtime client: this grant is not for metadata documents.',
    standard: docs('settings.md#oauthclient_id_metadata_documents'),
    registered: 'authentication',
  },
  device_code_unknown: { ...deviceCode, reason: 'Unknown device_code' },
  device_code_of_another_client: { ...deviceCode, reason: 'The device_code was issued to another client' },
  device_code_used: { ...deviceCode, reason: 'The device_code was used before' },
  device_code_expired: {
    error: 'expired_token',
    answer: "'device_code' is past its time; begin the device flow anew.",
    expected: deviceCode.expected,
    standard: rfc(8628, '3.5'),
  },
  device_denied: {
    error: 'access_denied',
    answer: 'The user denied the request.',
    expected: 'The approval of a person at /device.',
    standard: rfc(8628, '3.5'),
  },
  device_pending: {
    error: 'authorization_pending',
    answer: 'The user has not decided yet; poll again after the interval.',
    expected: 'The approval of a person at /device.',
    standard: rfc(8628, '3.5'),
    unrecorded: true,
  },
  device_polled_too_soon: {
    error: 'slow_down',
    answer: `Polled sooner than the interval allows; wait ${slowDownSeconds} seconds longer between polls.`,
    expected: `A poll after the interval that /device_authorization answered, ${slowDownSeconds} seconds more after each slow_down.`,
    standard: rfc(8628, '3.5'),
    unrecorded: true,
  },
  device_user_gone: { ...vanishedUser, answer: 'The user who approved this no longer exists.' },
});
