// Rejections of tokens at /userinfo, /introspect and /revoke (RFC 6750 §3.1, RFC 7662, RFC 7009). For all of them
// /introspect returns `active: false` and /revoke returns 200. Only the audit distinguishes them (CAM-10).

import { declareOAuthRefusals } from '#shared/model/refusals/oauth-error.ts';
import { safeInDescription } from '#shared/protocol/oauth2/descriptions.ts';
import { docs, rfc } from '../references.ts';

const token = {
  error: 'invalid_token',
  status: 401,
  headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
  expected: 'An access token that one of the published keys signed, and that is neither expired nor revoked.',
  standard: rfc(6750, '3.1'),
} as const;

const inHeader = { expected: 'One access token, in the Authorization header.', standard: rfc(6750, '2.1') } as const;

const howToSend = 'Send it as Authorization: Bearer <token>';

const revocation = {
  ...token,
  expected: 'An access or refresh token of the calling client.',
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
    answer: 'The request has more than one access token. Send it in one place only.',
  },
  bearer_header_malformed: {
    ...token,
    ...inHeader,
    answer: `The Authorization header has no Bearer token. ${howToSend}.`,
    reason: 'The Authorization header has no Bearer token',
  },
  token_missing: {
    ...token,
    ...inHeader,
    answer: `The access token is missing. ${howToSend}.`,
    reason: 'The access token is missing',
  },
  token_malformed: { ...token, answer: 'The token is not a signed JWT.' },
  token_key_unknown: {
    ...token,
    answer: 'This server did not sign the token: no published key has its kid.',
  },
  token_algorithm_wrong: {
    ...token,
    answer: 'The algorithm of the token is not the algorithm of its key.',
    standard: rfc(8725, '3.1'),
  },
  token_expiry_missing: { ...token, answer: 'The token has no exp, so it would never expire.' },
  token_elsewhere: {
    ...token,
    answer:
      'Another identity provider on this server issued the token: the default one, a sandbox, or a sandbox that was since reset or deleted.',
    expected: 'A token that the identity provider at this address issued. For a sandbox: since its last reset.',
  },
  token_claims_gone: {
    ...token,
    answer: 'The claims typed at the login of this token are no longer stored. Log in again.',
    expected: 'A token of a login whose typed claims are still stored.',
    standard: docs('settings.md#login'),
  },
  token_signature_wrong: { ...token, answer: 'The signature of the token is invalid.' },
  token_expired: {
    ...token,
    answer: ({ at }: { at: string }) => `The token expired at ${at}. Get a new one.`,
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
    answer: ({ use }: { use: string }) => `The token is ${nameOf(use)}, not an access token.`,
    reason: ({ use }: { use: string }) => `The token is ${nameOf(use)}, not an access token`,
  },
  token_of_another_audience: {
    ...token,
    answer: ({ sent, expected }: Audiences) =>
      `The token was issued for ${otherAudience(sent)} instead of ${safeInDescription(expected)}.`,
    evidence: ({ sent, expected }: Audiences) => ({ sent: sent ?? null, expected }),
    expected: 'A token whose aud contains oauth.audience.',
  },
  // /introspect and /revoke only
  id_token_introspected: {
    ...token,
    answer: 'The token is an ID token',
    expected: 'An access or refresh token. An ID token is not a credential.',
    standard: rfc(7662, '2.1'),
  },
  refresh_token_client_gone: {
    ...token,
    answer: 'The client of this refresh token no longer exists, so the token cannot be used.',
    expected: 'A refresh token whose client still exists.',
    standard: rfc(7662, '2.2'),
  },
  token_of_another_client: { ...revocation, answer: 'The token was issued to another client' },
  id_token_not_revocable: { ...revocation, answer: 'An ID token cannot be revoked' },
  refresh_token_without_family: { ...revocation, answer: 'The refresh token has no rt_family' },
  token_without_jti: { ...revocation, answer: 'The token has no jti' },
});

function nameOf(use: string): string {
  return use === 'id' ? 'an ID token' : 'a refresh token';
}
