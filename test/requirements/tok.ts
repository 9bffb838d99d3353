// Section TOK: the token endpoint.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  { id: 'TOK-01', says: 'Parameters come from a form body; other media types and the query do not count.' },
  { id: 'TOK-02', says: 'The checks answer in the order fixed by the contract.' },
  { id: 'TOK-03', says: 'Without grant_type the request is invalid.' },
  { id: 'TOK-04', says: 'An unknown grant_type is unsupported, and its text is not sent back.' },
  { id: 'TOK-05', says: 'Every known parameter but resource may stand once.' },
  { id: 'TOK-06', says: 'An empty parameter is as good as none.' },
  { id: 'TOK-07', says: 'exp sets the minutes of access and ID token on every grant.' },
  { id: 'TOK-08', says: 'An unusable exp is refused before anything is consumed.' },
  { id: 'TOK-09', says: 'expires_in states the seconds between iat and exp of the access token.' },
  { id: 'TOK-10', says: 'extra reaches the access token and no other token.' },
  { id: 'TOK-11', says: 'extra has to be a JSON object.' },
  { id: 'TOK-12', says: 'A refused extra answers one fixed sentence with the sorted names.' },
  { id: 'TOK-13', says: 'Claims that the server makes cannot come from extra.' },
  { id: 'TOK-14', says: 'Standard OpenID Connect claims cannot come from extra.' },
  { id: 'TOK-15', says: 'A refused name stays refused with a true value and in good company.' },
  { id: 'TOK-16', says: 'Refusing extra leaves codes and tokens for the next request.' },
  { id: 'TOK-17', says: 'The rule for extra binds the MCP tool as well.' },
  { id: 'TOK-18', says: 'A success names the token, its type, its lifetime and the granted scope.' },
  { id: 'TOK-19', says: 'An ID token comes with the scope openid and not without.' },
  { id: 'TOK-20', says: 'User grants bring a refresh token, except for clients that could not use it.' },
  { id: 'TOK-21', says: 'A refusal is JSON with a code and a sentence, status 400 by default.' },
];
