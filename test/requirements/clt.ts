// Section CLT: client authentication.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  { id: 'CLT-01', says: 'Three methods exist, and each client authenticates with its registered method.' },
  {
    id: 'CLT-02',
    says: 'The form field names the client, or else the Basic username. If both exist, they must agree.',
  },
  {
    id: 'CLT-03',
    says: 'A client_secret_basic client uses the header, and is rejected if the body contains a secret.',
  },
  {
    id: 'CLT-04',
    says: 'A client_secret_post client uses the body, and is rejected if there is a Basic header.',
  },
  { id: 'CLT-05', says: 'An empty client_secret counts as none.' },
  { id: 'CLT-06', says: 'Both halves of Basic credentials are form-decoded, and only the first colon separates them.' },
  { id: 'CLT-07', says: 'At /token, a public client only needs its name. Secrets are ignored.' },
  { id: 'CLT-08', says: 'No secret authenticates a public client, not even the one in its entry.' },
  { id: 'CLT-09', says: '/token returns 401 with a challenge if the client used Basic, and otherwise 400.' },
  {
    id: 'CLT-10',
    says: 'Introspection, revocation and device authorization return 401 with a challenge if authentication fails.',
  },
  { id: 'CLT-11', says: 'A missing client fails, and an unknown client gets the same response as a wrong secret.' },
  { id: 'CLT-12', says: 'Public clients cannot use introspection.' },
  { id: 'CLT-13', says: 'A public client may revoke with its name alone.' },
  {
    id: 'CLT-14',
    says: 'A public client starts a device flow with its name alone, and is rejected with credentials.',
  },
];
