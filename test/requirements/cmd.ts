// Section CMD: client metadata documents.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  { id: 'CMD-01', says: 'An unknown https client_id is fetched, but only at /authorize.' },
  { id: 'CMD-02', says: 'All rejections have the same response. Without MDC-01 the reason is only in the log.' },
  { id: 'CMD-03', says: 'Only allowed hosts and ports are fetched, and loopback hosts by MDC-03.' },
  { id: 'CMD-04', says: 'Addresses with a doubtful form are rejected without a fetch.' },
  { id: 'CMD-05', says: 'Every resolved address must be globally routable.' },
  { id: 'CMD-06', says: 'Loopback addresses are fetched only by a loopback server that allows it.' },
  {
    id: 'CMD-07',
    says: 'A fetch is one request with a verified certificate, within five seconds and with status 200.',
  },
  { id: 'CMD-08', says: 'The media type is JSON.' },
  { id: 'CMD-09', says: 'A body beyond 5 KiB is not read to its end.' },
  { id: 'CMD-10', says: 'At most thirty fetches per minute are made, not counting local rejections.' },
  {
    id: 'CMD-11',
    says: 'The document contains its address, is public and lists redirect URIs that the profile accepts.',
  },
  { id: 'CMD-12', says: 'Scope and name are parsed as in a registration, unknown scopes too (UNK-04).' },
  { id: 'CMD-13', says: 'A document that must not be stored cannot be used.' },
  { id: 'CMD-14', says: 'A document is cached for its max-age within limits, a rejection never.' },
  { id: 'CMD-15', says: 'A hundred documents are cached, and none that a flow needs is evicted.' },
  { id: 'CMD-16', says: 'If there is no space for the client, the error is temporarily_unavailable.' },
  { id: 'CMD-17', says: 'Such a client is public, without refresh token, offline_access (MDC-04) and device grant.' },
  { id: 'CMD-18', says: 'It is listed with its origin.' },
  { id: 'CMD-19', says: 'Declared clients take precedence over runtime ones, and those over documents.' },
  { id: 'CMD-20', says: 'Deleting a document also deletes its codes.' },
];
