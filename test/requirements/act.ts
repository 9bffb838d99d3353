// Section ACT of the contract: loading, reloading, activation.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  { id: 'ACT-01', says: 'One observation of both files is activated whole or not at all.' },
  { id: 'ACT-02', says: 'A rejected start says file, key and remedy in one message and exits 1.' },
  {
    id: 'ACT-03',
    says: 'Files that are missing at a start are replaced by the built-in pair, with warnings; one that vanishes later is refused.',
  },
  { id: 'ACT-04', says: 'Strictness makes a warning about an unknown key a refusal.' },
  { id: 'ACT-05', says: 'default_user and doubled names load with a warning each.' },
  { id: 'ACT-06', says: 'A reload answers status and number of users.' },
  { id: 'ACT-07', says: 'Unreadable or invalid files answer 422 invalid.' },
  { id: 'ACT-08', says: 'Unusable keys and another store answer 422 activation.' },
  { id: 'ACT-09', says: 'Strict hooks and plugins answer 503 with their kind.' },
  { id: 'ACT-10', says: 'A reload without the lock answers configuration_unavailable.' },
  { id: 'ACT-11', says: 'A refused reload leaves everything as it was.' },
  { id: 'ACT-12', says: 'What one frontend has answered, all serve next.' },
  { id: 'ACT-13', says: 'A request keeps its configuration and no reload fails it.' },
  { id: 'ACT-14', says: 'Reloads queue, each for the files it read.' },
  { id: 'ACT-15', says: 'A reload forgets no runtime state.' },
  { id: 'ACT-16', says: 'Most settings are in force with the reload.' },
  { id: 'ACT-17', says: 'A few settings wait for the next start.' },
  { id: 'ACT-18', says: 'Overrides outlive reloads and stay out of the files.' },
];
