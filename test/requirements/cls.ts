// Section CLS of shapes.md: what a client entry decides.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  { id: 'CLS-K01', says: 'A client has roles and groups, empty by default.' },
  { id: 'CLS-K02', says: 'A client has an audience: a text, or at most 20 texts of at least one character.' },
  { id: 'CLS-K03', says: 'A client has default_scopes, as a text or a list.' },
  { id: 'CLS-K04', says: 'A client has grant_types.', pending: true },
  {
    id: 'CLS-K05',
    says: 'Lifetimes of access, ID and refresh tokens in seconds, for all clients and for one: up to 86400, refresh 2592000.',
  },
  { id: 'CLS-K06', says: 'oauth.authorization_code_expiry_seconds is 1 to 600, and 600 by default.' },
  { id: 'CLS-K07', says: 'client_secret_optional is a method of entries under dev, and fails the load elsewhere.' },
  { id: 'CLS-K08', says: 'A client has token_response.', pending: true },
  { id: 'CLS-K09', says: 'oauth.json_token_requests.', pending: true },
  { id: 'CLS-K10', says: 'oauth.introspection_claims.', pending: true },
  {
    id: 'CLS-01',
    says: 'roles, groups and their authorities are claims of the own tokens of the client, and of no user.',
  },
  {
    id: 'CLS-02',
    says: 'Without resource the audience of the client is aud of its access tokens. Refresh tokens keep theirs.',
  },
  { id: 'CLS-03', says: '/userinfo accepts the audience of the client. A resource-bound token stays 401.' },
  {
    id: 'CLS-04',
    says: 'default_scopes are granted to requests without scope. A name that cannot be granted fails the load.',
  },
  { id: 'CLS-05', says: 'A grant outside grant_types is unauthorized_client.', pending: true },
  { id: 'CLS-06', says: 'exp, the client, seconds and minutes decide a lifetime, in this order.' },
  { id: 'CLS-07', says: 'Both units of one lifetime fail the load. In a sandbox the unit that it names wins.' },
  {
    id: 'CLS-08',
    says: 'An optional secret may be in the header, in the body or absent. Without it the request is one of a public client.',
  },
  { id: 'CLS-09', says: '/token reads JSON where the setting says so.', pending: true },
  {
    id: 'CLS-10',
    says: 'claims.roles and claims.groups of a client are rejected with the member of the entry. claims.sub is due with SUB-K02, which does not exist yet.',
  },
];
