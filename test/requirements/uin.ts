// Section UIN: UserInfo.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  { id: 'UIN-01', says: 'A bearer access token returns JSON with sub, for GET and POST.' },
  { id: 'UIN-02', says: 'The case of the scheme does not matter.' },
  { id: 'UIN-03', says: 'POST accepts a form field, but not both places, and the query is ignored.' },
  { id: 'UIN-04', says: 'An invalid token returns 401 with a Bearer challenge.' },
  { id: 'UIN-05', says: 'ID and refresh tokens are rejected, but tokens without token_use are not.' },
  { id: 'UIN-06', says: 'The audience must contain oauth.audience or the audience of the client.' },
  { id: 'UIN-07', says: "A client's own token and a deleted user return only the subject." },
  { id: 'UIN-08', says: 'dev always returns e-mail and username.' },
  { id: 'UIN-09', says: 'The gated profiles return them by scope.' },
  { id: 'UIN-10', says: 'Roles and tenant are always returned, other attributes if they exist.' },
  { id: 'UIN-11', says: 'Entitlements, ACL and authorities are returned only if entitlements were requested.' },
  { id: 'UIN-12', says: 'Requested claims are returned despite the gate and change nothing else.' },
];
