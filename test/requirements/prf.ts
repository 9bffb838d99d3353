// Section PRF: security profiles.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  { id: 'PRF-01', says: 'Confidential clients need PKCE under the gated profiles, else by the setting.' },
  { id: 'PRF-02', says: 'The PKCE method plain is a matter of dev.' },
  { id: 'PRF-03', says: 'Public clients need PKCE with S256 everywhere.' },
  { id: 'PRF-04', says: 'A verifier without a challenge is ignored under dev alone.' },
  { id: 'PRF-05', says: 'The password grant is missing from oauth21.' },
  { id: 'PRF-06', says: 'oauth21 rotates for confidential clients too.' },
  { id: 'PRF-07', says: 'oauth21 demands registered redirect URIs.' },
  { id: 'PRF-08', says: 'Scope enforcement can be turned off under dev alone.' },
  { id: 'PRF-09', says: 'E-mail and profile claims are free under dev and gated elsewhere.' },
  { id: 'PRF-10', says: 'stricter-dev reads passwords as hashes.' },
  { id: 'PRF-11', says: 'stricter-dev always limits the rate.' },
  { id: 'PRF-12', says: 'stricter-dev never debugs.' },
  { id: 'PRF-13', says: 'Without a list stricter-dev answers loopback origins, the others all.' },
  { id: 'PRF-14', says: 'The gated profiles slow down fast polls.' },
  { id: 'PRF-15', says: 'An unlisted logout address is followed under dev alone.' },
];
