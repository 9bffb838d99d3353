// Section SCO: scope.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  {
    id: 'SCO-01',
    says: 'Names outside the vocabulary are rejected, unless oauth.unknown_scopes says otherwise (UNK-01).',
  },
  { id: 'SCO-02', says: "Names outside the client's scopes are rejected, after the vocabulary." },
  { id: 'SCO-03', says: 'The error lists the names, sorted.' },
  { id: 'SCO-04', says: 'The error is a redirect at /authorize and a 400 elsewhere.' },
  {
    id: 'SCO-05',
    says: 'The default of interactive flows is default_scopes of the client, else its scopes, else openid. It also applies if only ignored names were requested (UNK-02).',
  },
  {
    id: 'SCO-06',
    says: "The default of the password grant is the client's scopes, else nothing. It also applies if only ignored names were requested (UNK-02).",
  },
  {
    id: 'SCO-07',
    says: 'Client credentials have no default. It also applies if only ignored names were requested (UNK-02).',
  },
  { id: 'SCO-08', says: 'Redemptions have no default.' },
  { id: 'SCO-09', says: 'Only dev can turn enforcement off.' },
  { id: 'SCO-10', says: 'A repeated name counts once, at its first position.' },
];
