// Faults of refreshing, and of the key behind the tokens (FLT-K097 to FLT-K103).
import { decodeToken } from '#shared/engine/tokens/verify-token.ts';
import { tokenRefusals } from '#shared/model/refusals/families/token.ts';
import { oauthError } from '#shared/model/refusals/oauth-error.ts';
import { type FaultRow, type FaultSite, faultRow } from '../fault-row.ts';
import { replacingMembers, withoutMember } from '../json-changes.ts';
import { atToken, inClaims } from './about-token.ts';

export const refreshFaults: readonly FaultRow[] = [
  faultRow({
    ...atToken,
    id: 'FLT-K097',
    name: 'refresh_reply_lost',
    effect: 'The refresh succeeds, including rotation, but the connection is reset before the first byte.',
    client: 'recover',
    source: 'RFC 9700 §4.14',
    make: () => ({
      hookPoint: 'sending',
      change: (reply, site) =>
        isRefresh(site) && reply.status === 200 ? { ...reply, delivery: { instead: 'reset' } } : undefined,
    }),
  }),
  faultRow({
    ...atToken,
    id: 'FLT-K098',
    name: 'refresh_not_rotated',
    effect: 'The refresh response repeats the presented refresh token, which stays valid.',
    client: 'accept',
    source: 'RFC 6749 §6',
    make: () => ({
      hookPoint: 'refresh_token_kept',
      change: (answer, { facts }) => replacingMembers({ refresh_token: facts.refresh_token })(answer),
    }),
  }),
  faultRow({
    ...atToken,
    id: 'FLT-K099',
    name: 'refresh_token_omitted',
    effect: 'The refresh response has no refresh_token, and the presented one stays valid.',
    client: 'accept',
    source: 'RFC 6749 §6',
    make: () => ({ hookPoint: 'refresh_token_kept', change: withoutMember('refresh_token') }),
  }),
  faultRow({
    ...atToken,
    id: 'FLT-K100',
    name: 'refresh_revoked',
    effect: 'The refresh is rejected with invalid_grant, and its token family is revoked.',
    refuses: true,
    client: 'recover',
    source: 'RFC 6749 §5.2',
    make: () => ({
      hookPoint: 'token_response',
      change: (answer, site) => (isRefresh(site) && familyOf(site) !== undefined ? answer : undefined),
      async refuse(site) {
        await site.store.tokenState.revokeFamily(familyOf(site) ?? '', site.tokensEndAt);
        return oauthError(tokenRefusals.refresh_token_revoked, undefined, { username: site.facts.username });
      },
    }),
  }),
  faultRow({
    ...atToken,
    id: 'FLT-K101',
    name: 'refresh_subject_changed',
    effect: 'The ID token of a refresh has a different sub.',
    client: 'reject',
    source: 'OIDC Core §12.2',
    make: () => ({
      hookPoint: 'token',
      use: 'id',
      change: inClaims((claims, site) =>
        isRefresh(site) ? replacingMembers({ sub: `${String(claims.sub)}-other` })(claims) : undefined,
      ),
    }),
  }),
  faultRow({
    ...atToken,
    id: 'FLT-K102',
    name: 'refresh_issuer_changed',
    effect: 'The ID token of a refresh has the iss https://attacker.example.',
    client: 'reject',
    source: 'OIDC Core §12.2',
    make: () => ({
      hookPoint: 'token',
      use: 'id',
      change: inClaims((claims, site) =>
        isRefresh(site) ? replacingMembers({ iss: 'https://attacker.example' })(claims) : undefined,
      ),
    }),
  }),
  faultRow({
    ...atToken,
    id: 'FLT-K103',
    name: 'key_rotated_before_signing',
    effect: 'The signing key is actually rotated, and the new key signs the tokens.',
    client: 'either',
    source: 'OIDC Core §10.1.1',
    rotatesKey: true,
    make: () => ({ hookPoint: 'key_rotation' }),
  }),
];

/** The family of the accepted refresh token. */
function familyOf({ facts }: FaultSite): string | undefined {
  const family = facts.refresh_token === undefined ? undefined : decodeToken(facts.refresh_token)?.payload.rt_family;
  return typeof family === 'string' ? family : undefined;
}

function isRefresh({ facts }: FaultSite): boolean {
  return facts.grant_type === 'refresh_token';
}
