// Section CLI: the command line.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  { id: 'CLI-01', says: 'Nine commands exist, each with help. Unknown commands and options are rejected with usage.' },
  { id: 'CLI-02', says: 'The option names the configuration directory, else the environment, else it is ./config.' },
  {
    id: 'CLI-03',
    says: 'Host and port options override the files, 0 means any port, and a public address causes a warning.',
  },
  { id: 'CLI-04', says: 'start runs a whole stack with the requested number of OIDC frontends, and MCP on its port.' },
  { id: 'CLI-05', says: 'oidc, saml and mcp run a single worker, which serves only its own endpoints.' },
  { id: 'CLI-06', says: 'One line on standard output reports that everything is ready, for people or as JSON.' },
  { id: 'CLI-07', says: 'Logs go to standard error at the requested level and never contain a secret.' },
  { id: 'CLI-08', says: 'Profile and strictness can be overridden for one run.' },
  { id: 'CLI-09', says: 'Exit codes distinguish success, rejection and a failed check.' },
  { id: 'CLI-10', says: 'An address in use ends the start with its name, and leaves nothing running.' },
  { id: 'CLI-11', says: 'validate-config lists its findings, which decide its exit code.' },
  { id: 'CLI-12', says: 'Findings have the same level as at a start.' },
  { id: 'CLI-13', says: 'A start loads what validate-config accepts.' },
  { id: 'CLI-14', says: 'config-schema prints a JSON Schema for each file or for one.' },
  { id: 'CLI-15', says: 'An independent validator agrees with that schema on good and bad files.' },
  { id: 'CLI-16', says: 'init writes files that start, reports what it did, and overwrites nothing.' },
];
