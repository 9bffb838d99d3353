// Section ACT of the contract: loading, reloading, activation.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  { id: 'ACT-01', says: 'A reload reads both files once, and activates both or neither.' },
  { id: 'ACT-02', says: 'A rejected start names file, key and remedy in one message and exits with 1.' },
  {
    id: 'ACT-03',
    says: 'The built-in pair replaces files that are missing at a start, with warnings. A file that disappears later is rejected.',
  },
  { id: 'ACT-04', says: 'In strict mode an unknown key is an error instead of a warning.' },
  { id: 'ACT-05', says: 'default_user and keys in two spellings load with a warning each.' },
  { id: 'ACT-06', says: 'A reload returns a status and the number of users.' },
  { id: 'ACT-07', says: 'Unreadable or invalid files return 422 invalid.' },
  { id: 'ACT-08', says: 'Unusable keys and another store return 422 activation.' },
  { id: 'ACT-09', says: 'Strict hooks and plugins return 503 with their kind.' },
  { id: 'ACT-10', says: 'A reload without the lock returns configuration_unavailable.' },
  { id: 'ACT-11', says: 'A rejected reload changes nothing.' },
  { id: 'ACT-12', says: 'After one frontend has answered with a configuration, all frontends serve it.' },
  { id: 'ACT-13', says: 'A request keeps its configuration, and no reload makes it fail.' },
  { id: 'ACT-14', says: 'Reloads run one after the other, each with the files that it read.' },
  { id: 'ACT-15', says: 'A reload deletes no runtime state.' },
  { id: 'ACT-16', says: 'Most settings are active after the reload.' },
  { id: 'ACT-17', says: 'A few settings become active at the next start.' },
  { id: 'ACT-18', says: 'Overrides of the command line survive reloads and are not written to the files.' },
];
