// Section DCR: dynamic registration.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  { id: 'DCR-01', says: 'Without the feature, its paths do not exist.' },
  { id: 'DCR-02', says: 'Registration needs no credential and no management secret.' },
  { id: 'DCR-03', says: 'The body is a JSON object with that media type.' },
  { id: 'DCR-04', says: 'The members are checked in a fixed order.' },
  { id: 'DCR-05', says: 'grant_types lists grants that the server supports.' },
  { id: 'DCR-06', says: 'The grants are returned, have a default, and restrict nothing.' },
  { id: 'DCR-07', says: 'The authentication method is one of three.' },
  {
    id: 'DCR-08',
    says: 'At least one redirect URI is required, and each must be valid for /authorize in this profile.',
  },
  { id: 'DCR-09', says: 'Redirect URIs are a list of strings.' },
  {
    id: 'DCR-10',
    says: 'The scope is reduced to the vocabulary, in the requested order, unless unknown scopes are granted (UNK-04).',
  },
  { id: 'DCR-11', says: 'A scope without any supported name is rejected.' },
  { id: 'DCR-12', says: 'A blank scope means the whole vocabulary.' },
  { id: 'DCR-13', says: 'The name is a string, becomes the description and is returned if sent.' },
  { id: 'DCR-14', says: 'Unknown members are ignored.' },
  {
    id: 'DCR-15',
    says: 'A success returns 201 with the registration and its token, and with dropped_scope where scopes were dropped (UNK-05).',
  },
  { id: 'DCR-16', says: 'A secret is issued exactly for the methods that use one.' },
  { id: 'DCR-17', says: 'The client can be used everywhere at once.' },
  { id: 'DCR-18', says: 'It is a runtime client with source dcr.' },
  { id: 'DCR-19', says: 'The number of live registrations is limited, even with simultaneous requests.' },
  { id: 'DCR-20', says: 'A place is freed by the end of a registration, never by time.' },
  { id: 'DCR-21', says: 'A reset in between rejects the registration and leaves nothing.' },
  { id: 'DCR-22', says: 'The registration token gives access to the whole registration.' },
  { id: 'DCR-23', says: 'The token is shown nowhere else and stored as a hash.' },
  { id: 'DCR-24', says: 'DELETE ends client and registration.' },
  { id: 'DCR-25', says: 'All bad credentials get the same 401.' },
  { id: 'DCR-26', says: 'A deleted registration does not return with a client of the same name.' },
  { id: 'DCR-27', says: 'Promotion, deletion, reset and declaration end the management of a registration.' },
  { id: 'DCR-28', says: 'PUT is not allowed.' },
  { id: 'DCR-29', says: 'Turning the feature off hides registrations, but keeps the clients.' },
];
