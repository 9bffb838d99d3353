// Faults in the claims of a token whose signature is valid (FLT-K037 to FLT-K062).

import * as z from 'zod';
import { epochSeconds } from '#shared/base/clock.ts';
import type { Document } from '#shared/engine/exchange/output-hooks.ts';
import { accessTokenHash } from '#shared/engine/tokens/access-token-hash.ts';
import { withOtherSlash } from '#shared/protocol/oidc/issuer-address.ts';
import { type FaultRow, type FaultSite, faultRow } from '../fault-row.ts';
import { replacingMembers, withoutMember } from '../json-changes.ts';
import { atToken, claimsFault, idTokenClaimsFault, tokenArgument, tokenFault, usesOf } from './about-token.ts';

const hour = 3600;
const attacker = 'https://attacker.example';
const someoneElse = 'someone-else';

export const tokenClaimFaults: readonly FaultRow[] = [
  claimsFault(
    {
      id: 'FLT-K037',
      name: 'token_expired',
      effect: 'The token was issued two hours ago and expired an hour ago.',
      client: 'reject',
      source: 'OIDC Core §3.1.3.7 (9)',
    },
    (claims, { now }) => {
      const issued = epochSeconds(now) - 2 * hour;
      const authenticated = claims.auth_time === undefined ? {} : { auth_time: issued };
      return { ...claims, exp: issued + hour, iat: issued, nbf: issued, ...authenticated };
    },
  ),
  claimsFault(
    {
      id: 'FLT-K038',
      name: 'token_not_yet_valid',
      effect: 'nbf is one hour in the future, and exp two hours.',
      client: 'reject',
      source: 'RFC 7519 §4.1.5',
    },
    (claims, { now }) => ({ ...claims, nbf: epochSeconds(now) + hour, exp: epochSeconds(now) + 2 * hour }),
  ),
  claimsFault(
    {
      id: 'FLT-K039',
      name: 'token_iat_future',
      effect: 'iat is one hour in the future, exp two hours, and nbf is now.',
      client: 'either',
      source: 'OIDC Core §3.1.3.7 (10)',
    },
    (claims, { now }) => {
      const seconds = epochSeconds(now);
      return { ...claims, iat: seconds + hour, exp: seconds + 2 * hour, nbf: seconds };
    },
  ),
  claimsFault(
    {
      id: 'FLT-K040',
      name: 'token_issuer_wrong',
      effect: 'iss is https://attacker.example.',
      client: 'reject',
      source: 'OIDC Core §3.1.3.7 (2)',
    },
    replacingMembers({ iss: attacker }),
  ),
  claimsFault(
    {
      id: 'FLT-K041',
      name: 'token_issuer_slash',
      effect: 'iss has a slash appended, or lacks its slash.',
      client: 'reject',
      source: 'OIDC Core §3.1.3.7 (2)',
    },
    ({ iss, ...claims }) => (typeof iss === 'string' ? { ...claims, iss: withOtherSlash(iss) } : undefined),
  ),
  claimsFault(
    {
      id: 'FLT-K042',
      name: 'token_issuer_missing',
      effect: 'The token has no iss.',
      client: 'reject',
      source: 'OIDC Core §2',
    },
    withoutMember('iss'),
  ),
  claimsFault(
    {
      id: 'FLT-K043',
      name: 'token_audience_wrong',
      effect: 'aud is someone-else.',
      client: 'reject',
      source: 'OIDC Core §3.1.3.7 (3)',
    },
    replacingMembers({ aud: someoneElse }),
  ),
  claimsFault(
    {
      id: 'FLT-K044',
      name: 'token_audience_missing',
      effect: 'The token has no aud.',
      client: 'reject',
      source: 'OIDC Core §2',
    },
    withoutMember('aud'),
  ),
  claimsFault(
    {
      id: 'FLT-K045',
      name: 'token_audience_untrusted',
      effect: 'aud also names https://untrusted.example, and azp is the client.',
      client: 'either',
      source: 'OIDC Core §3.1.3.7 (3)',
    },
    (claims, { facts }) =>
      withAudience(claims, 'https://untrusted.example', facts.client_id === undefined ? {} : { azp: facts.client_id }),
  ),
  claimsFault(
    {
      id: 'FLT-K046',
      name: 'token_azp_wrong',
      effect: 'aud also names someone-else, and azp is someone-else.',
      client: 'reject',
      source: 'OIDC Core §3.1.3.7 (5)',
    },
    (claims) => withAudience(claims, someoneElse, { azp: someoneElse }),
  ),
  claimsFault(
    {
      id: 'FLT-K047',
      name: 'token_azp_missing',
      effect: 'aud has two values, and there is no azp.',
      client: 'either',
      source: 'OIDC Core §3.1.3.7 (4)',
    },
    ({ azp: _, ...claims }) => withAudience(claims, someoneElse, {}),
  ),
  idTokenClaimsFault(
    {
      id: 'FLT-K048',
      name: 'nonce_wrong',
      effect: 'The ID token has a wrong nonce.',
      client: 'reject',
      source: 'OIDC Core §3.1.3.7 (11)',
    },
    (claims, { random }) => replacingMembers({ nonce: random.token(16) })(claims),
  ),
  idTokenClaimsFault(
    {
      id: 'FLT-K049',
      name: 'nonce_missing',
      effect: 'The ID token has no nonce, although the client sent one.',
      client: 'reject',
      source: 'OIDC Core §3.1.3.7 (11)',
    },
    withoutMember('nonce'),
  ),
  claimsFault(
    {
      id: 'FLT-K050',
      name: 'subject_missing',
      effect: 'The token has no sub.',
      client: 'reject',
      source: 'OIDC Core §2',
    },
    withoutMember('sub'),
  ),
  claimsFault(
    {
      id: 'FLT-K051',
      name: 'subject_changed',
      effect: 'sub has -other appended, while /userinfo is unchanged.',
      client: 'reject',
      source: 'OIDC Core §5.3.2',
    },
    appended('sub', '-other'),
  ),
  claimsFault(
    {
      id: 'FLT-K052',
      name: 'subject_not_text',
      effect: 'sub is the number 4711.',
      client: 'reject',
      source: 'OIDC Core §2',
    },
    replacingMembers({ sub: 4711 }),
  ),
  claimsFault(
    {
      id: 'FLT-K053',
      name: 'expiry_missing',
      effect: 'The token has no exp.',
      client: 'reject',
      source: 'OIDC Core §2',
    },
    withoutMember('exp'),
  ),
  claimsFault(
    { id: 'FLT-K054', name: 'expiry_text', effect: 'exp is a string.', client: 'reject', source: 'RFC 7519 §2' },
    (claims) => replacingMembers({ exp: String(claims.exp) })(claims),
  ),
  claimsFault(
    { id: 'FLT-K055', name: 'iat_missing', effect: 'The token has no iat.', client: 'reject', source: 'OIDC Core §2' },
    withoutMember('iat'),
  ),
  idTokenClaimsFault(
    {
      id: 'FLT-K056',
      name: 'at_hash_wrong',
      effect: 'at_hash of the ID token does not match the access token.',
      client: 'either',
      source: 'OIDC Core §3.1.3.8',
    },
    (claims, { random }) => replacingMembers({ at_hash: accessTokenHash(random.token()) })(claims),
  ),
  idTokenClaimsFault(
    {
      id: 'FLT-K057',
      name: 'at_hash_missing',
      effect: 'The ID token has no at_hash.',
      client: 'accept',
      source: 'OIDC Core §3.1.3.6',
    },
    withoutMember('at_hash'),
  ),
  idTokenClaimsFault(
    {
      id: 'FLT-K058',
      name: 'auth_time_missing',
      effect: 'The ID token has no auth_time.',
      client: 'reject',
      source: 'OIDC Core §2, §3.1.2.1',
    },
    withoutMember('auth_time'),
  ),
  idTokenClaimsFault(
    {
      id: 'FLT-K059',
      name: 'auth_time_old',
      effect: 'auth_time of the ID token is 24 hours ago.',
      client: 'reject',
      source: 'OIDC Core §3.1.3.7 (13)',
    },
    (claims, { now }) => replacingMembers({ auth_time: epochSeconds(now) - 24 * hour })(claims),
  ),
  idTokenClaimsFault(
    {
      id: 'FLT-K060',
      name: 'claims_odd_types',
      effect: 'In the ID token, email is the number 4711, roles an object and tenant null.',
      client: 'either',
      source: 'OIDC Core §5.1',
    },
    (claims) => ({ ...claims, email: 4711, roles: {}, tenant: null }),
  ),
  tokenFault(
    {
      id: 'FLT-K061',
      name: 'token_duplicate_members',
      effect: 'The payload has sub twice, the wrong one first.',
      client: 'either',
      source: 'RFC 7519 §4',
    },
    ({ header, claims }) => {
      if (typeof claims.sub !== 'string') return undefined;
      const wrong = JSON.stringify({ sub: `${claims.sub}-other` });
      return { header, claims, payloadText: `${wrong.slice(0, -1)},${JSON.stringify(claims).slice(1)}` };
    },
  ),
  faultRow({
    ...atToken,
    id: 'FLT-K062',
    name: 'token_large',
    effect: 'A claim `padding` makes the token `bytes` long.',
    client: 'either',
    source: '(A)',
    parameters: {
      ...tokenArgument,
      bytes: z
        .int()
        .min(4096)
        .max(1024 * 1024)
        .default(65_536)
        .describe('Length of the token. One less if Base64 cannot have that length.'),
    },
    make: ({ token, bytes }) => ({
      hookPoint: 'token',
      use: usesOf[token],
      change: ({ header, claims }, site) => {
        const others = base64Length(JSON.stringify(header)) + signatureLength(site) + 2;
        const payload = Math.floor(((bytes - others) * 3) / 4);
        const missing = payload - Buffer.byteLength(JSON.stringify({ ...claims, padding: '' }));
        return missing <= 0 ? undefined : { header, claims: { ...claims, padding: 'x'.repeat(missing) } };
      },
    }),
  }),
];

function appended(name: string, ending: string) {
  return (claims: Document): Document | undefined => {
    const { [name]: value } = claims;
    return typeof value === 'string' ? { ...claims, [name]: value + ending } : undefined;
  };
}

function withAudience(claims: Document, further: string, others: Document): Document | undefined {
  const { aud } = claims;
  return aud === undefined ? undefined : { ...claims, aud: [...[aud].flat(), further], ...others };
}

function base64Length(text: string): number {
  return Math.ceil((Buffer.byteLength(text) * 4) / 3);
}

/** The length of an RSA signature equals that of its modulus (RFC 8017 §8.2.1). */
function signatureLength({ activeKey }: FaultSite): number {
  const bits = activeKey.publicKey.asymmetricKeyDetails?.modulusLength ?? 2048;
  return Math.ceil((Math.ceil(bits / 8) * 4) / 3);
}
