// Section CLM: tokens and their claims.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  { id: 'CLM-01', says: 'Every token is a compact JWS with alg RS256, typ JWT and the kid of its key.' },
  { id: 'CLM-02', says: 'The kid is the RFC 7638 thumbprint unless jwt.external_keys.kid names another.' },
  {
    id: 'CLM-03',
    says: 'Every token carries issuer, subject, audience, times as integers, an id of its own and its token_use.',
  },
  {
    id: 'CLM-04',
    says: "A token is verified by the key its kid names, by the active key without kid, and by nobody else's.",
  },
  { id: 'CLM-05', says: 'A token outlives rotations while its key is kept.' },
  { id: 'CLM-06', says: 'With external keys that one key verifies whatever the kid says.' },
  { id: 'CLM-07', says: 'Another algorithm than RS256, or no exp, makes a token invalid.' },
  { id: 'CLM-08', says: 'Verification does not compare the issuer.' },
  {
    id: 'CLM-09',
    says: "A user's access token is about the username and for oauth.audience or the requested resource.",
  },
  { id: 'CLM-10', says: "It carries what the user's entry says, each only when not empty." },
  { id: 'CLM-11', says: 'It carries authorities as one flat list in a fixed order, or not at all when that is empty.' },
  {
    id: 'CLM-12',
    says: 'Default prefixes apply where none is configured, an empty one is honoured, roles and groups are upper-cased.',
  },
  { id: 'CLM-13', says: 'The granted scope is one text, absent when none was granted.' },
  { id: 'CLM-14', says: 'client_id names the bound client and is absent without one.' },
  { id: 'CLM-15', says: 'An access token never carries what belongs to ID and refresh tokens.' },
  { id: 'CLM-16', says: "A client's own token carries exactly the named claims and what extra added." },
  { id: 'CLM-17', says: 'A token whose subject is its client belongs to the client even when a user bears the name.' },
  { id: 'CLM-18', says: 'An ID token comes exactly with the scope openid of a user grant.' },
  { id: 'CLM-19', says: 'The ID token expires by the rule of the access token beside it.' },
  {
    id: 'CLM-20',
    says: 'Its audience is the client, or a list of client and additional audiences without duplicates.',
  },
  { id: 'CLM-21', says: 'oauth.audience among the additional audiences is left out unless it is the client.' },
  { id: 'CLM-22', says: 'azp is the client and stands only beside an audience that is a list.' },
  { id: 'CLM-23', says: "nonce repeats the request's and never comes back on refresh." },
  { id: 'CLM-24', says: 'auth_time is the moment of authentication and stays across refreshes.' },
  { id: 'CLM-25', says: 'at_hash binds the ID token to the access token beside it.' },
  { id: 'CLM-26', says: 'amr says how the user logged in while TOTP is on and is absent otherwise.' },
  { id: 'CLM-27', says: 'E-mail and profile claims are in the ID token only when asked for by claims.' },
  { id: 'CLM-28', says: 'claims may ask for the listed claims and single attributes, empty ones are left out.' },
  {
    id: 'CLM-29',
    says: 'Protocol claims, unknown names, source_acl and authorities are skipped and overwrite nothing.',
  },
  {
    id: 'CLM-30',
    says: 'A refresh token says so twice, names family and client and is for oauth.audience whatever the resource.',
  },
  { id: 'CLM-31', says: 'It carries the whole grant, and neither nonce nor extra claims.' },
  { id: 'CLM-32', says: 'Its lifetime is the configured one whatever exp says.' },
];
