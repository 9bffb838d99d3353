// Section CLI: the command line.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  { id: 'CLI-01', says: 'Nine commands, each with help; unknown commands and options are refused with usage.' },
  { id: 'CLI-02', says: 'The configuration directory comes from the option, else the environment, else ./config.' },
  { id: 'CLI-03', says: 'Host and port options win over the files, 0 is any port, a public address is warned about.' },
  { id: 'CLI-04', says: 'start runs a whole stack with as many OIDC frontends as asked and MCP on its port.' },
  { id: 'CLI-05', says: 'oidc, saml and mcp run one worker alone, which serves its own endpoints only.' },
  { id: 'CLI-06', says: 'One line on standard output says that everything answers, for people or as JSON.' },
  { id: 'CLI-07', says: 'Logs go to standard error at the asked level and never hold a secret.' },
  { id: 'CLI-08', says: 'Profile and strictness can be overridden for one run.' },
  { id: 'CLI-09', says: 'Exit codes tell fine, refused and could-not-look apart.' },
  { id: 'CLI-10', says: 'An address in use ends the start with its name and leaves nothing running.' },
  { id: 'CLI-11', says: 'validate-config lists its findings and exits by what it found.' },
  { id: 'CLI-12', says: 'Findings have the level that a start gives them.' },
  { id: 'CLI-13', says: 'What validate-config accepts is what a start loads.' },
  { id: 'CLI-14', says: 'config-schema prints a JSON Schema for each file or for one.' },
  { id: 'CLI-15', says: 'An independent validator agrees with that schema on good and bad files.' },
  { id: 'CLI-16', says: 'init writes files that start, says what it did, and overwrites nothing.' },
];
