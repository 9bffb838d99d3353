// Section WRT of the contract: writing the configuration.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  { id: 'WRT-01', says: 'One directory lock for all readers and writers.' },
  { id: 'WRT-02', says: 'The lock is waited for ten seconds with growing pauses.' },
  { id: 'WRT-03', says: 'The lock of a killed process is taken over in time.' },
  { id: 'WRT-04', says: 'A directory that cannot be written to is read without lock and never written.' },
  { id: 'WRT-05', says: 'A revision is the SHA-256 of the bytes that were loaded.' },
  { id: 'WRT-06', says: 'A stale revision is a conflict and changes nothing.' },
  { id: 'WRT-07', says: 'A writer that lost its lock overwrites nobody.' },
  { id: 'WRT-08', says: 'A result that would not load is refused before any file changes.' },
  { id: 'WRT-09', says: 'Simultaneous writes all arrive.' },
  { id: 'WRT-10', says: 'What is not changed keeps its bytes.' },
  { id: 'WRT-11', says: 'Some keys are written only off their defaults.' },
  { id: 'WRT-12', says: 'Entries are written in their form, with description, e-mail and TOTP secret.' },
  { id: 'WRT-13', says: 'A reader finds the old file or the new one, whole, with its permissions.' },
  { id: 'WRT-14', says: 'The previous version is kept as .bak.' },
  { id: 'WRT-15', says: 'Two files are proved before the first is replaced.' },
  { id: 'WRT-16', says: 'Hooks for each file, then one activation that may fail alone.' },
];
