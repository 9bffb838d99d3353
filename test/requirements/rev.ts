// Section REV: revocation.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  { id: 'REV-01', says: 'An authenticated client always gets an empty 200.' },
  { id: 'REV-02', says: 'Revoking an access token revokes only this token.' },
  { id: 'REV-03', says: 'Revoking a refresh token revokes its family for 31 days.' },
  { id: 'REV-04', says: 'It also revokes the access tokens of the grant.' },
  { id: 'REV-05', says: 'Tokens of other clients are not affected.' },
  { id: 'REV-06', says: 'A token that cannot be verified revokes nothing.' },
  { id: 'REV-07', says: 'The hint has no effect.' },
];
