// Faults of refreshing, and of the key behind the tokens (FLT-K097 to FLT-K103).
import { type FaultRow, type FaultSite, faultRow } from '../fault-row.ts';
import { replacing } from '../members.ts';
import { atToken, inClaims } from './about-token.ts';

export const refreshFaults: readonly FaultRow[] = [
  faultRow({
    ...atToken,
    id: 'FLT-K097',
    name: 'refresh_reply_lost',
    effect: 'A refresh is done, rotation included, and the connection is reset without a byte.',
    client: 'recover',
    source: 'RFC 9700 §4.14',
    make: () => ({
      seam: 'sending',
      change: (reply, site) =>
        isRefresh(site) && reply.status === 200 ? { ...reply, delivery: { instead: 'reset' } } : undefined,
    }),
  }),
  faultRow({
    ...atToken,
    id: 'FLT-K101',
    name: 'refresh_subject_changed',
    effect: 'The ID token of a refresh has another sub.',
    client: 'reject',
    source: 'OIDC Core §12.2',
    make: () => ({
      seam: 'token',
      use: 'id',
      change: inClaims((claims, site) =>
        isRefresh(site) ? replacing({ sub: `${String(claims.sub)}-other` })(claims) : undefined,
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
      seam: 'token',
      use: 'id',
      change: inClaims((claims, site) =>
        isRefresh(site) ? replacing({ iss: 'https://attacker.example' })(claims) : undefined,
      ),
    }),
  }),
];

function isRefresh({ facts }: FaultSite): boolean {
  return facts.grant_type === 'refresh_token';
}
