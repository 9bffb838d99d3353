// Section INT: introspection.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  { id: 'INT-01', says: 'An authenticated confidential client learns whether a token is active, with any hint.' },
  { id: 'INT-02', says: 'An invalid token is reported as inactive, without further members.' },
  { id: 'INT-03', says: 'Used and revoked refresh tokens are inactive.' },
  { id: 'INT-04', says: 'Live refresh tokens are active.' },
  { id: 'INT-05', says: 'The audience of the token is not checked.' },
  { id: 'INT-06', says: 'An active response repeats the claims of the token and adds none.' },
  { id: 'INT-07', says: "username exists only for users' tokens." },
  { id: 'INT-08', says: 'scope is reported exactly as in the token.' },
  { id: 'INT-09', says: 'A token without scope is reported without scope.' },
  { id: 'INT-10', says: 'A null client_id is reported as null.' },
  { id: 'INT-11', says: 'client_id is that of the token, not of the caller.' },
];
