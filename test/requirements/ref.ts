// Section REF: refreshing.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  { id: 'REF-01', says: 'The refresh token is required.' },
  { id: 'REF-02', says: 'Signature, expiry and audience of a refresh token must be valid.' },
  { id: 'REF-03', says: 'Only a token that is marked as a refresh token twice can be used.' },
  { id: 'REF-04', says: 'A refresh token without a client is rejected.' },
  { id: 'REF-05', says: 'Only the bound client may use a refresh token. Attempts of others do not affect it.' },
  { id: 'REF-06', says: 'A refresh for a deleted user is rejected.' },
  { id: 'REF-07', says: 'Scope, then resource, then the claim of the token are checked last, in this order.' },
  { id: 'REF-08', says: 'No rejection uses up a refresh token.' },
  { id: 'REF-09', says: 'Without a scope parameter the granted scope applies.' },
  { id: 'REF-10', says: 'A narrower scope applies to one response, and does not change the grant.' },
  { id: 'REF-11', says: 'Requested claims are kept when the scope is narrowed.' },
  { id: 'REF-12', says: 'A refresh returns a new pair of the same family with a full lifetime.' },
  { id: 'REF-13', says: 'Without rotation, the previous refresh token stays valid.' },
  { id: 'REF-14', says: 'Public clients and oauth21 always rotate, others according to the current setting.' },
  { id: 'REF-15', says: 'Reusing a rotated token is rejected and revokes the family.' },
  { id: 'REF-16', says: 'One of several simultaneous uses succeeds, and the others count as reuse.' },
  { id: 'REF-17', says: 'A revoked family is kept for 31 days, even if the rotation setting changes.' },
  { id: 'REF-18', says: 'Reuse does not revoke the access tokens of the family.' },
];
