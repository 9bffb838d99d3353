// Section DIS: discovery and key set.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  { id: 'DIS-01', says: 'Both discovery paths return the same document for the same request.' },
  {
    id: 'DIS-02',
    says: 'The well-known paths have a variant with the path of the issuer and of a sandbox, and no other.',
  },
  {
    id: 'DIS-03',
    says: 'The issuer is the effective one as written, and every endpoint address starts with the base address.',
  },
  { id: 'DIS-04', says: 'The registration endpoint is listed only while registration is open.' },
  { id: 'DIS-05', says: 'Support of metadata documents is listed only while that feature is on.' },
  { id: 'DIS-06', says: 'Response type, subject type, signing algorithm and claims parameter are fixed values.' },
  { id: 'DIS-07', says: 'The listed scopes are the configured vocabulary.' },
  {
    id: 'DIS-08',
    says: 'The claims list contains what ID tokens and UserInfo can contain, and amr only while TOTP is in effect.',
  },
  { id: 'DIS-09', says: 'The grants depend on the profile: oauth21 has no password grant.' },
  { id: 'DIS-10', says: 'Client authentication methods are listed for token, revocation and introspection.' },
  { id: 'DIS-11', says: 'PKCE plain is listed only under dev.' },
  { id: 'DIS-12', says: 'Response modes are query and form_post. Request objects are not supported.' },
  { id: 'DIS-13', says: 'The iss parameter is announced exactly if it is sent.' },
  { id: 'DIS-14', says: 'The key set lists the active key first, then previous ones, with public members only.' },
  { id: 'DIS-15', says: 'With external keys, the set consists of that key.' },
];
