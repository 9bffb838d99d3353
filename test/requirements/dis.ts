// Section DIS: discovery and key set.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  { id: 'DIS-01', says: 'Both discovery paths give one and the same document for one request.' },
  { id: 'DIS-02', says: 'The RFC 8414 path has no variant with a path behind it.' },
  { id: 'DIS-03', says: 'The issuer is the effective one and every endpoint address starts with it.' },
  { id: 'DIS-04', says: 'The registration endpoint is advertised while registration is open, and only then.' },
  { id: 'DIS-05', says: 'Metadata-document support is advertised while that feature is on, and only then.' },
  { id: 'DIS-06', says: 'Response type, subject type, signing algorithm and claims parameter are stated as fixed.' },
  { id: 'DIS-07', says: 'The advertised scopes are the configured vocabulary.' },
  { id: 'DIS-08', says: 'The claims list names what ID tokens and UserInfo can hold, amr only with TOTP in effect.' },
  { id: 'DIS-09', says: 'The grants list follows the profile: no password grant under oauth21.' },
  { id: 'DIS-10', says: 'Client authentication methods are listed for token, revocation and introspection.' },
  { id: 'DIS-11', says: 'PKCE plain is advertised under dev alone.' },
  { id: 'DIS-12', says: 'Response modes are query and form_post; request objects are denied.' },
  { id: 'DIS-13', says: 'The iss parameter is announced exactly where it is sent.' },
  { id: 'DIS-14', says: 'The key set lists the active key first, then previous ones, with public members alone.' },
  { id: 'DIS-15', says: 'With external keys the set is that one key.' },
];
