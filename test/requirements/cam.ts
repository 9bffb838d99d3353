// Section CAM: what real clients stumbled over.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  { id: 'CAM-01', says: 'client_secret_any takes the secret by Basic or in the body.' },
  { id: 'CAM-02', says: 'client_secret_any is nothing to register or to discover.' },
  { id: 'CAM-03', says: 'oauth.response_modes lists the response modes that are offered.' },
  { id: 'CAM-04', says: 'An error about an unoffered response mode fragment travels in the fragment.' },
  { id: 'CAM-05', says: 'oauth.audience_parameter reads audience as a further resource.' },
  { id: 'CAM-06', says: 'oauth.access_token_typ makes access tokens of RFC 9068.' },
  { id: 'CAM-07', says: 'oauth.backchannel_base_url is the base of what applications ask for.' },
  {
    id: 'CAM-08',
    says: 'A Basic challenge has a realm, and a refused client hears which method it used and which is registered.',
  },
  { id: 'CAM-09', says: 'invalid_scope names the refused scopes and the key that would allow them.' },
  { id: 'CAM-10', says: '/userinfo and the audit tell apart why a token is no good; /introspect tells nothing.' },
  { id: 'CAM-11', says: 'The shipped files suit clients as they are.' },
  { id: 'CAM-12', says: 'Well-known clients log in with their own defaults.', pending: true },
];
