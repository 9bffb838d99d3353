// The clauses of section STO of the contract, in our own words.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  { id: 'STO-01', says: 'The store is memory or sqlite from start to end; sqlite needs a path, memory refuses one.' },
  { id: 'STO-02', says: 'No file of the store lies in the configuration directory, whichever way it is spelled.' },
  { id: 'STO-03', says: 'A path names three things: the store, the audit beside it and the directory of owners.' },
  { id: 'STO-04', says: 'All of them are private to their user whatever the umask, looser ones are tightened.' },
  { id: 'STO-05', says: 'What is not our store of our version is refused and left exactly as it was.' },
  { id: 'STO-06', says: 'A file without content becomes a new store.' },
  { id: 'STO-07', says: 'Too old a library is refused before anything is made.' },
  { id: 'STO-08', says: 'A reload cannot exchange the store, and another spelling of its file is no exchange.' },
  { id: 'STO-09', says: 'Every kind of runtime state is one for all processes of a store.' },
  { id: 'STO-10', says: 'The shared store outlives the restart of every process.' },
  { id: 'STO-11', says: 'Programs on one store and one configuration honour what each other made.' },
  { id: 'STO-12', says: 'What may be used once is used once, through whichever process.' },
  { id: 'STO-13', says: 'Memory and sqlite differ in lifetime and reach alone.' },
  { id: 'STO-14', says: 'A kill at any instant loses nothing acknowledged and leaves nothing by half.' },
  { id: 'STO-15', says: 'A foreign writer delays a request up to 5 s, then it is answered 503 with Retry-After 1.' },
  { id: 'STO-16', says: 'Meanwhile what needs no write is answered without delay.' },
  { id: 'STO-17', says: 'Each process keeps one locked owner file, and the files of dead ones are removed.' },
  { id: 'STO-18', says: 'With the shared store every request but health and static files looks at the files first.' },
  { id: 'STO-19', says: 'A change is noticed by content, also when size and time stamp stayed.' },
  { id: 'STO-20', says: 'Files that do not load leave the running configuration in service, with one warning.' },
  { id: 'STO-21', says: 'A directory that cannot be locked for reading answers 503 with its kind.' },
  { id: 'STO-22', says: 'A request waits half a second for another one’s look at the files.' },
  { id: 'STO-23', says: 'The 503 bodies carry fixed sentences and no no-store headers; pages get a page.' },
  { id: 'STO-24', says: 'Creates and promotions take changed files over first and decide under the lock.' },
];
