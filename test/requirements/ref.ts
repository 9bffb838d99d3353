// Section REF: refreshing.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  { id: 'REF-01', says: 'The refresh token must be there.' },
  { id: 'REF-02', says: 'Signature, time and audience of a refresh token must hold.' },
  { id: 'REF-03', says: 'Only a token marked refresh twice can be spent.' },
  { id: 'REF-04', says: 'A refresh token without a client is refused.' },
  { id: 'REF-05', says: 'Only the bound client may spend a refresh token; others leave it unharmed.' },
  { id: 'REF-06', says: 'A refresh for a user who is gone is refused.' },
  { id: 'REF-07', says: 'Scope, then resource, then the claim of the token are judged last, in this order.' },
  { id: 'REF-08', says: 'No refusal spends a refresh token.' },
  { id: 'REF-09', says: 'Without a scope parameter the granted scope applies.' },
  { id: 'REF-10', says: 'A narrower scope narrows one answer and not the grant.' },
  { id: 'REF-11', says: 'Requested claims outlive a narrowed scope.' },
  { id: 'REF-12', says: 'A refresh answers a new pair of the same family with a full lifetime.' },
  { id: 'REF-13', says: 'Without rotation the old refresh token keeps working.' },
  { id: 'REF-14', says: 'Public clients and oauth21 always rotate, the rest by the setting of the moment.' },
  { id: 'REF-15', says: 'Reusing a rotated token is refused and ends the family.' },
  { id: 'REF-16', says: 'One of many simultaneous uses wins, and the others are reuse.' },
  { id: 'REF-17', says: 'A revoked family is remembered for 31 days, whatever rotation says later.' },
  { id: 'REF-18', says: 'Reuse leaves the access tokens of the family alive.' },
];
