// Section CLT: client authentication.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  { id: 'CLT-01', says: 'Three methods exist, and each client authenticates by the one it is registered with.' },
  {
    id: 'CLT-02',
    says: 'The form field names the client, else the Basic user name; when both are there they must agree.',
  },
  {
    id: 'CLT-03',
    says: 'A client_secret_basic client uses the header and is refused as soon as the body holds a secret.',
  },
  {
    id: 'CLT-04',
    says: 'A client_secret_post client uses the body and is refused as soon as a Basic header is there.',
  },
  { id: 'CLT-05', says: 'A client_secret without a value is no secret at all.' },
  { id: 'CLT-06', says: 'Both halves of Basic credentials are form-decoded; only the first colon separates.' },
  { id: 'CLT-07', says: 'At /token the name of a public client suffices, and secrets beside it are not looked at.' },
  { id: 'CLT-08', says: 'No secret authenticates a public client, not even one that its entry still holds.' },
  { id: 'CLT-09', says: '/token challenges with 401 whoever tried Basic and answers 400 to everybody else.' },
  {
    id: 'CLT-10',
    says: 'Introspection, revocation and device authorization answer a failed client 401 with a challenge.',
  },
  { id: 'CLT-11', says: 'Naming no client fails, and an unknown client cannot be told from a wrong secret.' },
  { id: 'CLT-12', says: 'Introspection is closed to public clients.' },
  { id: 'CLT-13', says: 'A public client may revoke by naming itself.' },
  {
    id: 'CLT-14',
    says: 'A public client starts a device flow by naming itself and is refused when it adds credentials.',
  },
];
