// Faults of the logout token that a client gets on the back channel while its browser logs out (FLS-07 to FLS-11).
import type { Document } from '#shared/engine/exchange/output-hooks.ts';
import { type AlteredToken, type DraftToken, type FaultRow, faultRow } from '../fault-row.ts';
import { withoutMember } from '../json-changes.ts';

interface Described {
  readonly id: string;
  readonly name: string;
  readonly effect: string;
}

/** The first token of the logout is changed, for any client and any delivery. */
function logoutTokenFault(described: Described, change: (token: DraftToken) => AlteredToken): FaultRow {
  return faultRow({
    ...described,
    ...{ at: ['logout', 'saml_slo'], phase: 'after', client: 'reject', source: 'Back-Channel Logout §2.6' },
    make: () => ({ hookPoint: 'logout_token', change }),
  });
}

const withClaims =
  (change: (claims: Document) => Document) =>
  (token: DraftToken): AlteredToken => ({ ...token, claims: change(token.claims) });

export const logoutTokenFaults: readonly FaultRow[] = [
  logoutTokenFault(
    { id: 'FLS-07', name: 'logout_token_nonce', effect: 'The logout token has a nonce.' },
    withClaims((claims) => ({ ...claims, nonce: 'a-nonce' })),
  ),
  logoutTokenFault(
    { id: 'FLS-08', name: 'logout_token_events_missing', effect: 'The logout token has no events.' },
    withClaims((claims) => withoutMember('events')(claims) ?? claims),
  ),
  logoutTokenFault(
    {
      id: 'FLS-09',
      name: 'logout_token_alg_none',
      effect: 'The logout token has alg none and an empty signature.',
    },
    (token) => ({ ...token, header: { ...token.header, alg: 'none' }, signature: () => Buffer.alloc(0) }),
  ),
  logoutTokenFault(
    { id: 'FLS-10', name: 'logout_token_audience_wrong', effect: 'The logout token is for another client (aud).' },
    withClaims((claims) => ({ ...claims, aud: 'another-client' })),
  ),
  logoutTokenFault(
    { id: 'FLS-11', name: 'logout_token_issuer_wrong', effect: 'The logout token has a wrong iss.' },
    withClaims((claims) => ({ ...claims, iss: 'https://another-issuer.example' })),
  ),
];
