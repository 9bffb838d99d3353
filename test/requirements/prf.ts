// Section PRF: security profiles.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  {
    id: 'PRF-01',
    says: 'Confidential clients need PKCE under the gated profiles, otherwise if the setting requires it.',
  },
  { id: 'PRF-02', says: 'The PKCE method plain exists only under dev.' },
  { id: 'PRF-03', says: 'Public clients need PKCE with S256 everywhere.' },
  { id: 'PRF-04', says: 'A verifier without a challenge is ignored only under dev.' },
  { id: 'PRF-05', says: 'oauth21 has no password grant.' },
  { id: 'PRF-06', says: 'oauth21 rotates for confidential clients too.' },
  { id: 'PRF-07', says: 'oauth21 requires registered redirect URIs.' },
  {
    id: 'PRF-08',
    says: 'Scope enforcement can be turned off only under dev. oauth.unknown_scopes counts in every profile (UNK-01).',
  },
  { id: 'PRF-09', says: 'E-mail and profile claims need no scope under dev, but elsewhere they do.' },
  { id: 'PRF-10', says: 'stricter-dev treats passwords as hashes.' },
  { id: 'PRF-11', says: 'stricter-dev always limits the rate.' },
  { id: 'PRF-12', says: 'stricter-dev never enables debug.' },
  { id: 'PRF-13', says: 'Without a list, stricter-dev allows loopback origins, and the others allow all.' },
  { id: 'PRF-14', says: 'The gated profiles return slow_down for fast polls.' },
  { id: 'PRF-15', says: 'An unlisted logout address is followed only under dev.' },
];
