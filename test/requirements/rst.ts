// Section RST of the contract: the REST management API.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  { id: 'RST-01', says: 'Both health addresses say ok.' },
  { id: 'RST-02', says: 'The user list holds declared and runtime users with the named members.' },
  { id: 'RST-03', says: 'One user is shown with the named members, nobody answers 404.' },
  { id: 'RST-04', says: 'No read carries a secret.' },
  { id: 'RST-05', says: 'A test token without client comes alone and without scope.' },
  { id: 'RST-06', says: 'With a client it is bound and refreshable, except for a metadata-document client.' },
  { id: 'RST-07', says: 'Unknown user 404 before the body, unknown client 400.' },
  { id: 'RST-08', says: 'The body is optional, an object, and its lifetime from 1 to 1440 minutes.' },
  { id: 'RST-09', says: 'Its answers are not stored.' },
  { id: 'RST-10', says: 'The configuration has exactly the named members.' },
  { id: 'RST-11', says: 'Server, OAuth, login and effective members are as named.' },
  { id: 'RST-12', says: 'The SAML member shows effective values and what is derived.' },
  { id: 'RST-13', says: 'The runtime member names the store and its file; declared objects alone are counted.' },
  { id: 'RST-14', says: 'Declared and applied CORS origins are told apart.' },
  { id: 'RST-15', says: 'With a management secret writes under /api need it; nothing else does.' },
  { id: 'RST-16', says: 'The gate stands before body and 404, and takes any characters.' },
  {
    id: 'RST-17',
    says: 'The key of the file decides, the environment only without it, other characters fail the load.',
  },
  { id: 'RST-18', says: 'Unknown paths, wrong methods, large and malformed bodies have their answers.' },
];
