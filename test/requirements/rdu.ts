// Section RDU: which redirect URIs are accepted.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  { id: 'RDU-K01', says: 'redirect_uri_patterns of a client: at most 20 patterns, none by default.' },
  { id: 'RDU-K02', says: 'post_logout_redirect_uri_patterns of a client: the same for logout.' },
  { id: 'RDU-01', says: 'Under dev a registered http://localhost URI matches with any port, and never 127.0.0.1.' },
  { id: 'RDU-02', says: 'Under dev a private-use scheme needs no period, wherever a redirect URI is read.' },
  { id: 'RDU-03', says: 'Every profile rejects schemes such as javascript, and a client entry with one is invalid.' },
  { id: 'RDU-04', says: '* in a pattern is a part of one host label or one path segment, without . and /.' },
  { id: 'RDU-05', says: 'Patterns match only under dev. Other profiles report them with one warning for a client.' },
  { id: 'RDU-06', says: 'Each pattern causes a warning, and so does a * in a list of exact URIs.' },
  {
    id: 'RDU-07',
    says: 'The audit event of an unregistered redirect URI says which is the nearest and how it differs.',
  },
  { id: 'RDU-08', says: 'A registration names the first URI that the profile rejects, and why.' },
];
