// Section OUT of the contract: logout.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  {
    id: 'OUT-01',
    says: '/logout and /end_session read four parameters, from the query for GET and the form for POST.',
  },
  { id: 'OUT-02', says: 'The session of the browser always ends.' },
  { id: 'OUT-03', says: 'Without an address a page confirms the logout.' },
  {
    id: 'OUT-04',
    says: 'client_id or the audience of a signed hint names the client. If they contradict, there is no redirect.',
  },
  { id: 'OUT-05', says: 'A foreign hint names no client and causes no redirect, in every profile (D50).' },
  { id: 'OUT-06', says: 'Listed addresses are followed only if they match exactly, or by a pattern under dev.' },
  { id: 'OUT-07', says: 'Unlisted addresses are followed under dev only.' },
  { id: 'OUT-08', says: 'A followed address gets the state appended.' },
  {
    id: 'OUT-09',
    says: 'An address that is not followed returns the page, and the session has ended nevertheless. Under dev its scheme needs no period.',
  },
  { id: 'OUT-10', says: '/ui/logout ends the session and redirects to the dashboard.' },
];
