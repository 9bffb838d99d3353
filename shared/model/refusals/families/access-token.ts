// Rejections of tokens at /userinfo, /introspect and /revoke (RFC 6750 §3.1, RFC 7662, RFC 7009). For all of them
// /introspect returns `active: false` and /revoke returns 200. Only the audit distinguishes them (CAM-10).

import { declareOAuthRefusals } from '#shared/model/refusals/oauth-error.ts';
import { safeInDescription } from '#shared/protocol/oauth2/descriptions.ts';
import { docs, rfc } from '../references.ts';

const token = {
  error: 'invalid_token',
  status: 401,
  headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
  expected: 'An access token signed by one of the published keys, neither expired nor revoked.',
  standard: rfc(6750, '3.1'),
} as const;

const inHeader = { expected: 'One access token, in the Authorization header.', standard: rfc(6750, '2.1') } as const;

const howToSend = 'send it as Authorization: Bearer <token>';

const revocation = {
  ...token,
  expected: 'A token of the calling client that can be revoked.',
  standard: rfc(7009, '2.1'),
} as const;

interface Audiences {
  /** The `aud` of the token: a string, a list of strings, or nothing. */
  readonly sent: unknown;
  readonly expected: string;
}

function otherAudience(aud: unknown): string {
  const names = [aud].flat().filter((name) => typeof name === 'string');
  return names.length === 0 ? 'no audience' : `another audience: ${names.map(safeInDescription).join(', ')}`;
}

export const accessTokenRefusals = declareOAuthRefusals({
  access_token_repeated: {
    ...inHeader,
    error: 'invalid_request',
    // RFC 6750 §3: every rejection by a protected resource has a challenge.
    headers: { 'WWW-Authenticate': 'Bearer error="invalid_request"' },
    answer: 'The access token was sent more than once; send it in one place only.',
  },
  bearer_header_malformed: {
    ...token,
    ...inHeader,
    answer: `The Authorization header holds no Bearer token; ${howToSend}.`,
    reason: 'The Authorization header holds no Bearer token',
  },
  token_missing: {
    ...token,
    ...inHeader,
    answer: `No access token was sent; ${howToSend}.`,
    reason: 'No token was sent',
  },
  token_malformed: { ...token, answer: 'The token is malformed: it is no signed JWT.' },
  token_key_unknown: {
    ...token,
    answer: 'The token was not signed by this server: no published key has its kid.',
  },
  token_algorithm_wrong: {
    ...token,
    answer: 'The token is signed with another algorithm than that of the key it names.',
    standard: rfc(8725, '3.1'),
  },
  token_expiry_missing: { ...token, answer: 'The token has no exp, so that it would never expire.' },
  token_elsewhere: {
    ...token,
    answer: 'The token was issued elsewhere: by another sandbox, by one that has ended or was reset, or by none.',
    expected: 'A token of this very sandbox; outside sandboxes a token of none.',
  },
  token_claims_gone: {
    ...token,
    answer: 'The claims that were typed for the login of this token are no longer kept; log in again.',
    expected: 'A token of a login whose typed claims the store still has.',
    standard: docs('settings.md#login'),
  },
  token_signature_wrong: { ...token, answer: 'The signature of the token is wrong.' },
  token_expired: {
    ...token,
    answer: ({ at }: { at: string }) => `The token expired at ${at}; get a new one.`,
    evidence: ({ at }: { at: string }) => ({ expired_at: at }),
  },
  token_not_yet_valid: {
    ...token,
    answer: ({ at }: { at: string }) => `The token is not valid before ${at} (nbf).`,
    evidence: ({ at }: { at: string }) => ({ valid_from: at }),
    standard: rfc(7519, '4.1.5'),
  },
  token_revoked: {
    ...token,
    answer: 'The token was revoked or already used.',
    reason: 'The token was revoked or already used',
  },
  token_not_an_access_token: {
    ...token,
    answer: ({ use }: { use: string }) => `The token is not an access token: it is ${nameOf(use)}.`,
    reason: ({ use }: { use: string }) => `The token is not an access token: it is ${nameOf(use)}`,
  },
  token_of_another_audience: {
    ...token,
    answer: ({ sent, expected }: Audiences) =>
      `The token was issued for ${otherAudience(sent)} instead of ${safeInDescription(expected)}.`,
    evidence: ({ sent, expected }: Audiences) => ({ sent: sent ?? null, expected }),
    expected: 'A token whose aud names oauth.audience.',
  },
  // /introspect and /revoke only
  id_token_introspected: {
    ...token,
    answer: 'The token is an ID token',
    expected: 'An access or refresh token: an ID token is no credential.',
    standard: rfc(7662, '2.1'),
  },
  refresh_token_client_gone: {
    ...token,
    answer: 'The client of this refresh token no longer exists, so that it refreshes nothing.',
    expected: 'A refresh token whose client is still the one that it was issued to.',
    standard: rfc(7662, '2.2'),
  },
  token_of_another_client: { ...revocation, answer: 'The token was issued to another client' },
  id_token_not_revocable: { ...revocation, answer: 'An ID token cannot be revoked' },
  refresh_token_without_family: { ...revocation, answer: 'The refresh token has no family' },
  token_without_jti: { ...revocation, answer: 'The token has no jti' },
});

function nameOf(use: string): string {
  return use === 'id' ? 'an ID token' : 'a refresh token';
}
