// Section HOK of the contract: hooks and plugins.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  {
    id: 'HOK-01',
    says: 'Three shell hooks get their words, which are never read as shell, the third its event on standard input.',
  },
  { id: 'HOK-02', says: 'They run before a load, after each written file and after each event.' },
  { id: 'HOK-03', says: 'on_before_load stays away from writes, looks at the files and siblings.' },
  { id: 'HOK-04', says: 'A stack runs on_before_load once.' },
  { id: 'HOK-05', says: 'Exit code, time and start decide about failure; the others still run.' },
  { id: 'HOK-06', says: 'A failure without strict is logged and counted.' },
  { id: 'HOK-07', says: 'A failure with strict refuses the load or is reported after the save.' },
  { id: 'HOK-08', says: 'Audit hooks get each event once and disturb nobody.' },
  { id: 'HOK-09', says: 'Plugins are ES modules with a version, settings and three functions.' },
  { id: 'HOK-10', says: 'Shell first, then plugins in order.' },
  { id: 'HOK-11', says: 'Unusable plugins are listed and, when strict, refuse the load.' },
  { id: 'HOK-12', says: 'The report shows counts and reasons, no command and no output.' },
  { id: 'HOK-13', says: 'A diagnosis runs neither hooks nor plugins.' },
];
