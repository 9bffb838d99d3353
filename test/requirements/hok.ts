// Section HOK of the contract: hooks and plugins.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  {
    id: 'HOK-01',
    says: 'Three shell hooks get their arguments, which are never parsed by a shell. The third gets its event on standard input.',
  },
  { id: 'HOK-02', says: 'They run before a load, after each written file and after each event.' },
  { id: 'HOK-03', says: 'on_before_load does not run for writes, file checks and other workers.' },
  { id: 'HOK-04', says: 'A stack runs on_before_load once.' },
  { id: 'HOK-05', says: 'A hook fails by its exit code, its timeout or a failed start. The others still run.' },
  { id: 'HOK-06', says: 'A failure without strict is logged and counted.' },
  { id: 'HOK-07', says: 'A failure in strict mode rejects the load, or is reported after the save.' },
  { id: 'HOK-08', says: 'Audit hooks get each event once and delay no request.' },
  { id: 'HOK-09', says: 'Plugins are ES modules with a version, settings and three functions.' },
  { id: 'HOK-10', says: 'Shell hooks run first, then plugins in order.' },
  { id: 'HOK-11', says: 'Unusable plugins are listed and, in strict mode, reject the load.' },
  { id: 'HOK-12', says: 'The report shows counts and reasons, but no command and no output.' },
  { id: 'HOK-13', says: 'A diagnosis runs neither hooks nor plugins.' },
];
