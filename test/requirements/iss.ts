// Section ISS: the effective issuer.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  { id: 'ISS-01', says: 'Without issuer_from_request every address uses the fixed issuer, regardless of the Host.' },
  {
    id: 'ISS-02',
    says: 'With it, scheme and Host of the request decide wherever an issuer or base address is used. The path stays.',
  },
  { id: 'ISS-03', says: 'An origin missing from a filled allowlist falls back to the fixed issuer.' },
  { id: 'ISS-04', says: 'A Host that is not host[:port] never becomes an issuer.' },
  {
    id: 'ISS-05',
    says: 'With trusted proxy headers, the last forwarded values define scheme, host and client address.',
  },
  { id: 'ISS-06', says: 'Untrusted forwarded headers, X-Forwarded-Port and Forwarded have no effect.' },
  { id: 'ISS-07', says: 'Rate limit and audit use the client address found that way.' },
  { id: 'ISS-08', says: 'The trust in proxy headers changes only with a restart.' },
  { id: 'ISS-09', says: 'Issuer, allowlist and device base change with a reload.' },
  { id: 'ISS-10', says: 'The device base only replaces the device addresses, and only with issuer_from_request.' },
  { id: 'ISS-11', says: 'A refresh at another host returns tokens of that issuer.' },
  {
    id: 'ISS-12',
    says: 'The iss response parameter is sent only for an https issuer without query or fragment.',
  },
];
