// Section INT: introspection.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  { id: 'INT-01', says: 'An authenticated confidential client hears whether a token is active, whatever the hint.' },
  { id: 'INT-02', says: 'What is no live token is inactive, and nothing more is said.' },
  { id: 'INT-03', says: 'Spent and revoked refresh tokens are inactive.' },
  { id: 'INT-04', says: 'Live refresh tokens are active.' },
  { id: 'INT-05', says: 'The audience of the token plays no part.' },
  { id: 'INT-06', says: 'An active answer repeats the claims of the token and invents none.' },
  { id: 'INT-07', says: "username is there for users' tokens alone." },
  { id: 'INT-08', says: 'scope is reported exactly as the token has it.' },
  { id: 'INT-09', says: 'A token without scope is reported without scope.' },
  { id: 'INT-10', says: 'A null client_id is reported as null.' },
  { id: 'INT-11', says: 'client_id is that of the token, not of the caller.' },
];
