// Section ISS: the effective issuer.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  { id: 'ISS-01', says: 'Without issuer_from_request every address uses the fixed issuer, whatever the Host.' },
  { id: 'ISS-02', says: 'With it, scheme and Host of the request decide, wherever an issuer or base is named.' },
  { id: 'ISS-03', says: 'An origin missing from a filled allowlist falls back to the fixed issuer.' },
  { id: 'ISS-04', says: 'A Host that is not host[:port] never becomes an issuer.' },
  { id: 'ISS-05', says: 'With proxy headers trusted, the last forwarded values give scheme, host and client address.' },
  { id: 'ISS-06', says: 'Untrusted forwarded headers, X-Forwarded-Port and Forwarded have no effect.' },
  { id: 'ISS-07', says: 'Rate limit and audit use the client address found that way.' },
  { id: 'ISS-08', says: 'Trusting proxy headers changes with a restart only.' },
  { id: 'ISS-09', says: 'Issuer, allowlist and device base follow a reload.' },
  { id: 'ISS-10', says: 'The device base replaces the device addresses alone, and only with issuer_from_request.' },
  { id: 'ISS-11', says: 'A refresh under another host gives tokens of that issuer.' },
  {
    id: 'ISS-12',
    says: 'The iss response parameter is sent for an https issuer without query or fragment, and only then.',
  },
];
