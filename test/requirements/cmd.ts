// Section CMD: client metadata documents.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  { id: 'CMD-01', says: 'An unknown https client_id is fetched, at /authorize and nowhere else.' },
  { id: 'CMD-02', says: 'Every refusal says the same and keeps its reason for the log.' },
  { id: 'CMD-03', says: 'Only allowed hosts and ports are fetched.' },
  { id: 'CMD-04', says: 'Addresses of doubtful form are refused unfetched.' },
  { id: 'CMD-05', says: 'Every resolved address must be globally routable.' },
  { id: 'CMD-06', says: 'Loopback is fetched only by a loopback server that allows it.' },
  { id: 'CMD-07', says: 'A fetch is one verified request of five seconds, answered 200.' },
  { id: 'CMD-08', says: 'The media type is JSON.' },
  { id: 'CMD-09', says: 'A body beyond 5 KiB is not read to its end.' },
  { id: 'CMD-10', says: 'Thirty fetches a minute are the most, local refusals not counted.' },
  { id: 'CMD-11', says: 'The document claims its address, is public and lists usable addresses.' },
  { id: 'CMD-12', says: 'Scope and name are read as in a registration.' },
  { id: 'CMD-13', says: 'A document that must not be kept cannot be used.' },
  { id: 'CMD-14', says: 'A document is kept for its max-age within bounds, a refusal never.' },
  { id: 'CMD-15', says: 'A hundred documents are kept, and none is dropped that a flow needs.' },
  { id: 'CMD-16', says: 'Without room for the client the answer is temporarily_unavailable.' },
  { id: 'CMD-17', says: 'Such a client is public, without refresh token and device grant.' },
  { id: 'CMD-18', says: 'It is listed with its origin.' },
  { id: 'CMD-19', says: 'Declared wins over runtime, runtime over documents.' },
  { id: 'CMD-20', says: 'Forgetting drops one document and its codes.' },
];
