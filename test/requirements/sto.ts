// The clauses of section STO of the contract, in our own words.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  {
    id: 'STO-01',
    says: 'The store is memory or sqlite until the process ends. sqlite requires a path, memory rejects one.',
  },
  { id: 'STO-02', says: 'No file of the store may be in the configuration directory, however its path is spelled.' },
  { id: 'STO-03', says: 'A path names three things: the store, the audit next to it and the directory of owners.' },
  { id: 'STO-04', says: 'All of them are private to their user with any umask, and others are made private.' },
  { id: 'STO-05', says: 'A file that is not our store of our version is rejected and not changed.' },
  { id: 'STO-06', says: 'A file without content becomes a new store.' },
  { id: 'STO-07', says: 'A library that is too old is rejected before anything is created.' },
  { id: 'STO-08', says: 'A reload cannot replace the store. Another spelling of its path is no replacement.' },
  { id: 'STO-09', says: 'All processes of a store share every kind of runtime state.' },
  { id: 'STO-10', says: 'The shared store survives the restart of every process.' },
  { id: 'STO-11', says: 'Programs on one store and one configuration accept what each other created.' },
  { id: 'STO-12', says: 'Single-use values can be used once, through any process.' },
  { id: 'STO-13', says: 'Memory and sqlite differ only in lifetime and reach.' },
  { id: 'STO-14', says: 'A kill at any moment loses nothing acknowledged and leaves nothing incomplete.' },
  { id: 'STO-15', says: 'Another writer delays a request up to 5 s, then it gets 503 with Retry-After 1.' },
  { id: 'STO-16', says: 'Meanwhile requests that write nothing get their response without delay.' },
  { id: 'STO-17', says: 'Each process has one locked owner file, and files of dead processes are deleted.' },
  { id: 'STO-18', says: 'With the shared store, every request except health and static files checks the files first.' },
  { id: 'STO-19', says: 'A change is detected by content, even with the same size and timestamp.' },
  { id: 'STO-20', says: 'If the files do not load, the running configuration stays active, with one warning.' },
  { id: 'STO-21', says: 'A directory that cannot be locked for reading returns 503 with its kind.' },
  { id: 'STO-22', says: 'A request waits half a second for another request’s check of the files.' },
  { id: 'STO-23', says: 'The 503 bodies contain fixed sentences and no no-store headers. Browsers get a page.' },
  { id: 'STO-24', says: 'Creates and promotions activate changed files first and decide under the lock.' },
  {
    id: 'STO-25',
    says: 'The newest declaration of several directories on one store is active, and a directory that is behind reports it (D45).',
  },
];
