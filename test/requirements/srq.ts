// Section SRQ of the contract: SAML requests, reasons, mistakes.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  { id: 'SRQ-01', says: 'Signatures may use seven RSA algorithms, in both bindings.' },
  { id: 'SRQ-02', says: 'A redirect with its signature inside the XML is rejected for that.', pending: true },
  { id: 'SRQ-03', says: 'The page and the audit event of an unreadable SAMLRequest have the cause.', pending: true },
  { id: 'SRQ-04', says: 'A logout whose NameID differs in one part names that part.', pending: true },
  { id: 'SRQ-05', says: 'A SOAP message at another address gets a SOAP Fault that names the key.', pending: true },
  { id: 'SRQ-06', says: 'Each log line about a request is a finding of a verdict rule.', pending: true },
  { id: 'SRQ-07', says: 'Requests without a readable Issuer are judged.', pending: true },
];
