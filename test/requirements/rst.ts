// Section RST of the contract: the REST management API.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  { id: 'RST-01', says: 'Both health addresses return ok.' },
  { id: 'RST-02', says: 'The user list contains declared and runtime users with the named members.' },
  { id: 'RST-03', says: 'One user is returned with the named members, and an unknown one returns 404.' },
  { id: 'RST-04', says: 'No read returns a secret.' },
  { id: 'RST-05', says: 'A test token without a client comes without other tokens and without scope.' },
  {
    id: 'RST-06',
    says: 'With a client, it is bound to the client and refreshable, except for a metadata-document client.',
  },
  { id: 'RST-07', says: 'An unknown user returns 404 before the body is checked, an unknown client 400.' },
  { id: 'RST-08', says: 'The body is optional, an object, with a lifetime from 1 to 1440 minutes.' },
  { id: 'RST-09', says: 'Its responses must not be stored.' },
  { id: 'RST-10', says: 'The configuration has exactly the named members.' },
  { id: 'RST-11', says: 'Server, OAuth, login and effective members are as named.' },
  { id: 'RST-12', says: 'The SAML member shows effective and derived values.' },
  { id: 'RST-13', says: 'The runtime member names the store and its file, and counts only declared objects.' },
  { id: 'RST-14', says: 'Declared and applied CORS origins are separate.' },
  { id: 'RST-15', says: 'With a management secret, writes under /api require it, and nothing else does.' },
  { id: 'RST-16', says: 'The secret is checked before body and 404, and may contain any characters.' },
  {
    id: 'RST-17',
    says: 'The key of the file applies, or else the environment. Invalid characters reject the load.',
  },
  {
    id: 'RST-18',
    says: 'Unknown paths, wrong methods, large and malformed bodies have defined responses. Unknown names: TTK-07, TTK-08.',
  },
];
