// Section MDC: clients by metadata document.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  { id: 'MDC-K01', says: 'oauth.client_id_metadata_documents.show_reasons shows why a document was rejected.' },
  { id: 'MDC-01', says: 'With it audit, flow and page have the reason. JSON does not.' },
  { id: 'MDC-02', says: 'Without it page and flow name the key. The shipped configurations set it.' },
  { id: 'MDC-03', says: 'With allow_loopback, loopback hosts need no entry in allowed_hosts.' },
  { id: 'MDC-04', says: 'offline_access is not granted to such a client.' },
];
