// Section TOK: the token endpoint.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  { id: 'TOK-01', says: 'Parameters are read from a form body. Other media types and the query are ignored.' },
  { id: 'TOK-02', says: 'The checks run in the order fixed by the contract.' },
  { id: 'TOK-03', says: 'Without grant_type the request is invalid.' },
  { id: 'TOK-04', says: 'An unknown grant_type is unsupported, and its value is not returned.' },
  { id: 'TOK-05', says: 'Every known parameter except resource may occur once.' },
  { id: 'TOK-06', says: 'An empty parameter counts as absent.' },
  { id: 'TOK-07', says: 'exp sets the minutes of access and ID token on every grant.' },
  { id: 'TOK-08', says: 'An invalid exp is rejected before anything is consumed.' },
  { id: 'TOK-09', says: 'expires_in is the number of seconds between iat and exp of the access token.' },
  { id: 'TOK-10', says: 'extra is added to the access token only.' },
  { id: 'TOK-11', says: 'extra must be a JSON object.' },
  { id: 'TOK-12', says: 'A rejected extra returns a fixed sentence with the sorted names.' },
  { id: 'TOK-13', says: 'Claims that the server issues cannot come from extra.' },
  { id: 'TOK-14', says: 'Standard OpenID Connect claims cannot come from extra.' },
  { id: 'TOK-15', says: 'A reserved name is rejected even with its true value and among allowed names.' },
  { id: 'TOK-16', says: 'A rejected extra does not use up codes and tokens.' },
  { id: 'TOK-17', says: 'The rule for extra also applies to the MCP tool.' },
  { id: 'TOK-18', says: 'A success contains the token, its type, its lifetime and the granted scope.' },
  { id: 'TOK-19', says: 'An ID token is issued only with the scope openid.' },
  { id: 'TOK-20', says: 'User grants return a refresh token, except for clients that cannot use it.' },
  { id: 'TOK-21', says: 'An error is JSON with a code and a sentence, with status 400 by default.' },
];
