// Section UIN: UserInfo.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  { id: 'UIN-01', says: 'A bearer access token gets JSON with sub, by GET and POST.' },
  { id: 'UIN-02', says: 'The case of the scheme does not matter.' },
  { id: 'UIN-03', says: 'POST takes a form field, never both places, and the query never counts.' },
  { id: 'UIN-04', says: 'A token that is not good gets 401 with a Bearer challenge.' },
  { id: 'UIN-05', says: 'ID and refresh tokens are refused, tokens without token_use are not.' },
  { id: 'UIN-06', says: 'The audience must contain the configured one.' },
  { id: 'UIN-07', says: "A client's own token and a vanished user yield the subject alone." },
  { id: 'UIN-08', says: 'dev always tells e-mail and user name.' },
  { id: 'UIN-09', says: 'The gated profiles tell them by scope.' },
  { id: 'UIN-10', says: 'Roles and tenant are always told, other attributes when there are any.' },
  { id: 'UIN-11', says: 'Entitlements, ACL and authorities stay untold unless entitlements were requested.' },
  { id: 'UIN-12', says: 'Requested claims are told past the gate and change nothing else.' },
];
