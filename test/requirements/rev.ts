// Section REV: revocation.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  { id: 'REV-01', says: 'An authenticated client always gets an empty 200.' },
  { id: 'REV-02', says: 'Revoking an access token ends that one.' },
  { id: 'REV-03', says: 'Revoking a refresh token ends its family for 31 days.' },
  { id: 'REV-04', says: 'It ends the access tokens of the grant as well.' },
  { id: 'REV-05', says: 'Tokens of other clients are left alone.' },
  { id: 'REV-06', says: 'What does not verify revokes nothing.' },
  { id: 'REV-07', says: 'The hint does not matter.' },
];
