// Rejections by /token: the parameters that all grants share, then each grant.

import { tokenLifetimeMinutes } from '#shared/model/configuration/settings/token-lifetimes.ts';
import { slowDownSeconds } from '#shared/model/domain/device-grant.ts';
import { declareOAuthRefusals } from '#shared/model/refusals/oauth-error.ts';
import { safeInDescription } from '#shared/protocol/oauth2/descriptions.ts';
import { docs, rfc } from '../references.ts';
import { missingParameter } from '../wordings.ts';

const lifetime = `whole number of minutes from ${tokenLifetimeMinutes.least} to ${tokenLifetimeMinutes.most}`;

const extra = {
  error: 'invalid_request',
  expected: 'A JSON object without the claims that the server sets itself.',
  standard: docs('errors.md#oauth-20-and-openid-connect'),
} as const;

const grant = { error: 'invalid_grant' } as const;

/** The same message for unknown, expired, used and foreign codes. */
const code = {
  ...grant,
  answer: "'code' is unknown, expired, already used or issued to another client. Start a new authorization request.",
  expected: 'An unexpired and unused code issued to this client.',
  standard: rfc(6749, '4.1.3'),
} as const;

const verifier = {
  ...grant,
  expected: 'The code_verifier whose SHA-256 is the code_challenge of the authorization request.',
  standard: rfc(7636, '4.6'),
} as const;

const mismatch = "'code_verifier' does not match the code_challenge of the authorization request";

/** The same message for all of them, so that a client does not learn why another client's token failed. */
const refreshToken = {
  ...grant,
  answer:
    "'refresh_token' is not a valid refresh token of this client. It is malformed, expired, revoked or already used.",
  expected: 'A refresh token of this client that is neither expired, used nor revoked.',
  standard: rfc(6749, '6'),
} as const;

const deviceCode = {
  ...grant,
  answer: "'device_code' is unknown, already used or issued to another client. Start the device flow again.",
  expected: 'An approved, unexpired and unused device_code issued to this client.',
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
    answer: missingParameter('grant_type'),
    expected: 'A grant_type that this server supports.',
    standard: rfc(6749, '5.2'),
  },
  grant_type_not_supported: {
    error: 'unsupported_grant_type',
    answer: ({ served }: { served: readonly string[] }) => `'grant_type' must be one of: ${served.join(', ')}.`,
    expected: 'A grant_type that this server supports.',
    standard: rfc(6749, '5.2'),
  },
  grant_parameter_missing: {
    error: 'invalid_request',
    answer: ({ parameter }: { parameter: string }) => `${missingParameter(parameter)} This grant_type requires it.`,
    evidence: ({ parameter }: { parameter: string }) => ({ parameter }),
    expected: 'All parameters that the grant_type requires.',
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
    answer: "'extra' must be a JSON object with the claims to add.",
  },
  extra_too_deep: {
    ...extra,
    answer: ({ levelsMax }: { levelsMax: number }) => `'extra' is nested more than ${levelsMax} levels deep.`,
  },
  extra_number_rounded: {
    ...extra,
    answer: ({ names }: { names: readonly string[] }) =>
      `'extra' contains numbers that would be rounded: ${names.map(safeInDescription).join(', ')}. Send whole numbers beyond 2^53 (up to 1e21), and any number beyond 1.8e308, as strings.`,
    expected: 'Whole numbers up to 2^53 - 1 and other numbers up to 1.8e308. Larger ones as strings.',
  },
  extra_names_reserved_claim: {
    ...extra,
    answer: ({ names }: { names: readonly string[] }) => `'extra' cannot set: ${names.join(', ')}`,
    reason: 'extra names a reserved claim',
  },
  // authorization_code
  code_unknown: { ...code, reason: 'Unknown or expired code' },
  code_of_another_client: { ...code, reason: 'The code was issued to another client' },
  code_used: { ...code, reason: 'The code was already used' },
  redirect_uri_differs: {
    ...grant,
    answer: "'redirect_uri' differs from the redirect_uri of the authorization request.",
    evidence: ({ sent, expected }: { sent: string; expected: string }) => ({ sent, expected }),
    expected: 'The redirect_uri of the authorization request.',
    standard: rfc(6749, '4.1.3'),
  },
  code_of_secret_without_secret: {
    ...grant,
    answer:
      'The authorization request had no code_challenge with the method S256, so this client must send its client_secret.',
    expected: 'The client_secret, or PKCE with the method S256.',
    standard: docs('settings.md#a-client-oauthclients'),
    registered: 'authentication',
  },
  code_verifier_unexpected: {
    ...verifier,
    answer: "'code_verifier' was sent, but the authorization request had no code_challenge.",
    expected: 'A code_challenge in the authorization request, or no code_verifier.',
    standard: rfc(9700, '2.1.1'),
  },
  code_verifier_missing: {
    ...verifier,
    answer: `${missingParameter('code_verifier')} The code was requested with PKCE.`,
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
      'The code_verifier of the same login. Its SHA-256 is the code_challenge of that login. A client stores one for each login, beside its state.',
  },
  /**
   * A padded or hexadecimal challenge matches no verifier. A developer who checks only the verifier would never find
   * that.
   */
  code_challenge_unmatchable: {
    ...verifier,
    answer: `${mismatch}. That code_challenge cannot match S256: it must be 43 base64url characters without padding (RFC 7636 section 4.2).`,
    standard: rfc(7636, '4.2'),
  },
  code_session_over: {
    ...grant,
    answer: "The session in which 'code' was issued has ended. Start a new authorization request.",
    expected: 'A code of an active session, while login.session is on.',
    standard: rfc(6749, '5.2'),
  },
  code_user_gone: { ...vanishedUser, answer: 'The user who authorized the request no longer exists.' },
  // client_credentials
  client_credentials_of_public_client: {
    error: 'unauthorized_client',
    answer:
      'A public client (token_endpoint_auth_method none) cannot use this grant_type, because it has no credentials.',
    expected: 'A confidential client. This grant has no user, so the client must authenticate.',
    standard: rfc(6749, '4.4'),
    registered: 'authentication',
  },
  // password
  username_blank: {
    error: 'invalid_request',
    answer: "'username' must not be blank.",
    expected: 'The name of an existing user.',
    standard: rfc(6749, '4.3.2'),
  },
  resource_owner_credentials_wrong: {
    ...grant,
    answer: 'The username and password do not match a user of this server.',
    expected: 'The name of a user, and exactly the password of the user entry.',
    standard: rfc(6749, '4.3.2'),
  },
  // refresh_token
  refresh_token_malformed: { ...refreshToken, reason: 'The refresh token is not a signed JWT' },
  refresh_token_signature_wrong: {
    ...refreshToken,
    reason: 'The signature of the refresh token is invalid',
  },
  refresh_token_key_unknown: {
    ...refreshToken,
    reason: 'This server did not sign the refresh token: no published key has its kid',
  },
  refresh_token_elsewhere: {
    ...refreshToken,
    reason:
      'Another identity provider on this server issued the refresh token: the default one, a sandbox, or a sandbox that was since reset or deleted',
  },
  refresh_token_algorithm_wrong: {
    ...refreshToken,
    reason: 'The algorithm of the refresh token is not the algorithm of its key',
  },
  refresh_token_expiry_missing: { ...refreshToken, reason: 'The refresh token has no exp' },
  refresh_token_not_yet_valid: { ...refreshToken, reason: 'The refresh token is not valid yet' },
  refresh_token_expired: { ...refreshToken, reason: 'The refresh token expired' },
  not_a_refresh_token: { ...refreshToken, reason: 'The token is not a refresh token' },
  refresh_token_without_client: { ...refreshToken, reason: 'The refresh token is not bound to a client' },
  refresh_token_incomplete: { ...refreshToken, reason: 'The refresh token is incomplete' },
  refresh_token_of_another_audience: { ...refreshToken, reason: 'The refresh token was issued for another audience' },
  refresh_token_of_another_client: { ...refreshToken, reason: 'The refresh token was issued to another client' },
  refresh_token_reused: { ...refreshToken, reason: 'The refresh token was already used' },
  refresh_token_revoked: { ...refreshToken, reason: 'The refresh token was revoked' },
  refresh_token_claims_gone: {
    ...grant,
    answer: 'The claims typed at the login of this refresh token are no longer stored. Log in again.',
    expected: 'A refresh token of a login whose typed claims are still stored.',
    standard: docs('settings.md#login'),
  },
  refresh_token_user_gone: { ...vanishedUser, answer: 'The user of this refresh token no longer exists.' },
  // device_code
  device_grant_of_metadata_document: {
    error: 'unauthorized_client',
    answer: 'A client identified by a metadata document cannot use the device grant.',
    expected: 'A declared or runtime client. Metadata-document clients cannot use this grant.',
    standard: docs('settings.md#oauthclient_id_metadata_documents'),
    registered: 'authentication',
  },
  device_code_unknown: { ...deviceCode, reason: 'Unknown device_code' },
  device_code_of_another_client: { ...deviceCode, reason: 'The device_code was issued to another client' },
  device_code_used: { ...deviceCode, reason: 'The device_code was already used' },
  device_code_expired: {
    error: 'expired_token',
    answer: "'device_code' has expired. Start the device flow again.",
    expected: deviceCode.expected,
    standard: rfc(8628, '3.5'),
  },
  device_denied: {
    error: 'access_denied',
    answer: 'The user denied the request.',
    expected: 'A user who approves the request at /device.',
    standard: rfc(8628, '3.5'),
  },
  device_pending: {
    error: 'authorization_pending',
    answer: 'The user has not decided yet. Poll again after the interval.',
    expected: 'A user who approves the request at /device.',
    standard: rfc(8628, '3.5'),
    unrecorded: true,
  },
  device_polled_too_soon: {
    error: 'slow_down',
    answer: `The device polls too fast. Wait ${slowDownSeconds} seconds longer between polls.`,
    expected: `A poll after the interval from /device_authorization, plus ${slowDownSeconds} seconds for each slow_down.`,
    standard: rfc(8628, '3.5'),
    unrecorded: true,
  },
  device_user_gone: { ...vanishedUser, answer: 'The user who approved the request no longer exists.' },
});
