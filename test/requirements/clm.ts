// Section CLM: tokens and their claims.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  { id: 'CLM-01', says: 'Every token is a compact JWS with alg RS256, typ JWT and the kid of its key.' },
  { id: 'CLM-02', says: 'The kid is the RFC 7638 thumbprint unless jwt.external_keys.kid names another.' },
  {
    id: 'CLM-03',
    says: 'Every token has issuer, subject, audience, times as integers, a unique id and its token_use.',
  },
  {
    id: 'CLM-04',
    says: 'A token is verified with the key that its kid names, or with the active key if it has no kid. No other key is accepted.',
  },
  { id: 'CLM-05', says: 'A token stays valid after rotations while its key is kept.' },
  { id: 'CLM-06', says: 'With external keys, that one key verifies every kid.' },
  { id: 'CLM-07', says: 'Another algorithm than RS256, or a missing exp, makes a token invalid.' },
  { id: 'CLM-08', says: 'Verification does not compare the issuer.' },
  {
    id: 'CLM-09',
    says: "The subject of a user's access token is the username. Its audience is the requested resource, else the audience of the client, else oauth.audience.",
  },
  { id: 'CLM-10', says: "It contains the values of the user's entry that are not empty." },
  { id: 'CLM-11', says: 'It contains authorities as one flat list in a fixed order, or none if that is empty.' },
  {
    id: 'CLM-12',
    says: 'Default prefixes apply if none is configured, an empty one is used as it is, and roles and groups are upper-cased.',
  },
  { id: 'CLM-13', says: 'The granted scope is one string, absent if none was granted.' },
  { id: 'CLM-14', says: 'client_id names the bound client and is absent without one.' },
  { id: 'CLM-15', says: 'An access token never contains claims of ID and refresh tokens.' },
  { id: 'CLM-16', says: "A client's own token contains exactly the named claims and those of extra." },
  {
    id: 'CLM-17',
    says: 'A token whose subject is its client belongs to the client, even if a user has the same name.',
  },
  { id: 'CLM-18', says: 'An ID token is issued exactly for the scope openid of a user grant.' },
  { id: 'CLM-19', says: 'The ID token expires by the same rule as the access token.' },
  {
    id: 'CLM-20',
    says: 'Its audience is the client, or a list of client and additional audiences without duplicates.',
  },
  { id: 'CLM-21', says: 'oauth.audience is omitted from the additional audiences unless it is the client.' },
  { id: 'CLM-22', says: 'azp is the client, and exists only if the audience is a list.' },
  { id: 'CLM-23', says: 'nonce is that of the request, and is absent after a refresh.' },
  { id: 'CLM-24', says: 'auth_time is the time of authentication, and does not change with a refresh.' },
  { id: 'CLM-25', says: 'at_hash binds the ID token to its access token.' },
  { id: 'CLM-26', says: 'amr shows how the user logged in while TOTP is on, and is absent otherwise.' },
  { id: 'CLM-27', says: 'E-mail and profile claims are in the ID token only if claims requests them.' },
  { id: 'CLM-28', says: 'claims may request the listed claims and single attributes. Empty ones are omitted.' },
  {
    id: 'CLM-29',
    says: 'Protocol claims, unknown names, source_acl and authorities are skipped and overwrite nothing.',
  },
  {
    id: 'CLM-30',
    says: 'A refresh token is marked as one twice, names family and client, and has oauth.audience as audience for any resource.',
  },
  { id: 'CLM-31', says: 'It contains the whole grant, but neither nonce nor extra claims.' },
  { id: 'CLM-32', says: 'Its lifetime is the configured one for any exp.' },
];
