// Section CAM: problems that real clients had.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  { id: 'CAM-01', says: 'client_secret_any accepts the secret with Basic or in the body.' },
  { id: 'CAM-02', says: 'client_secret_any cannot be registered and is not in discovery.' },
  { id: 'CAM-03', says: 'oauth.response_modes lists the supported response modes.' },
  { id: 'CAM-04', says: 'An error about an unsupported response mode fragment is sent in the fragment.' },
  { id: 'CAM-05', says: 'oauth.audience_parameter treats audience as an additional resource.' },
  { id: 'CAM-06', says: 'oauth.access_token_typ issues access tokens according to RFC 9068.' },
  { id: 'CAM-07', says: 'oauth.backchannel_base_url is the base of the endpoints that applications call.' },
  {
    id: 'CAM-08',
    says: 'A Basic challenge has a realm, and a rejected client learns which method it used and which is registered.',
  },
  { id: 'CAM-09', says: 'invalid_scope names the rejected scopes and the key that would allow them.' },
  { id: 'CAM-10', says: '/userinfo and the audit report why a token is invalid, but /introspect does not.' },
  { id: 'CAM-11', says: 'The shipped files suit existing clients.' },
  { id: 'CAM-12', says: 'Well-known clients log in with their own defaults.', pending: true },
];
