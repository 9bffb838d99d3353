// Section WRT of the contract: writing the configuration.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  { id: 'WRT-01', says: 'All readers and writers use one directory lock.' },
  { id: 'WRT-02', says: 'A writer waits ten seconds for the lock, with growing pauses.' },
  { id: 'WRT-03', says: 'The lock of a killed process is taken over within that time.' },
  { id: 'WRT-04', says: 'A directory that cannot be written to is read without the lock and never written.' },
  { id: 'WRT-05', says: 'A revision is the SHA-256 of the bytes that were loaded.' },
  { id: 'WRT-06', says: 'A stale revision is a conflict and changes nothing.' },
  { id: 'WRT-07', says: 'A writer that lost its lock overwrites nothing.' },
  { id: 'WRT-08', says: 'A result that would not load is rejected before any file changes.' },
  { id: 'WRT-09', says: 'Simultaneous writes all succeed.' },
  { id: 'WRT-10', says: 'Unchanged parts keep their bytes.' },
  { id: 'WRT-11', says: 'Some keys are written only if they differ from the default.' },
  { id: 'WRT-12', says: 'Entries are written in their form, with description, e-mail and TOTP secret.' },
  { id: 'WRT-13', says: 'A reader finds the complete old or new file, with its permissions.' },
  { id: 'WRT-14', says: 'The previous version is kept as .bak.' },
  { id: 'WRT-15', says: 'Both files are validated before the first is replaced.' },
  { id: 'WRT-16', says: 'Hooks run for each file, then one activation that may fail separately.' },
];
