// Section SUP: stack and supervision.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  { id: 'SUP-01', says: 'A stack has one address for everything, and SAML has no TCP port of its own.' },
  { id: 'SUP-02', says: 'A relayed SAML request is identical to a direct one, on both sides.' },
  {
    id: 'SUP-03',
    says: 'While SAML is replaced, its requests wait and then get 503. Those in progress at its death get 502.',
  },
  { id: 'SUP-04', says: 'A killed worker only loses its requests in progress, and no connection is rejected.' },
  { id: 'SUP-05', says: 'A dead worker is replaced, at first immediately and then after growing pauses.' },
  { id: 'SUP-06', says: 'The replacement continues with the configuration and state of the other workers.' },
  { id: 'SUP-07', says: 'A worker that dies too often, or rejects its configuration, ends the stack with its name.' },
  { id: 'SUP-08', says: 'A worker that stops responding is killed and replaced.' },
  { id: 'SUP-09', says: 'A signal lets requests in progress finish and exits with 0. A second one ends at once.' },
  { id: 'SUP-10', says: 'Workers whose supervisor was killed end automatically and free the address.' },
  { id: 'SUP-11', says: 'Each step of a flow may reach another OIDC frontend.' },
  { id: 'SUP-12', says: 'Limits apply to the stack, not to each frontend.' },
  { id: 'SUP-13', says: 'With the memory store, a stack has one store that no other stack shares.' },
  { id: 'SUP-14', says: 'That store is in a private directory that does not outlive the stack for long.' },
  { id: 'SUP-15', says: 'A crash of MCP only loses its draft, and does not affect the frontends.' },
  {
    id: 'SUP-16',
    says: 'Large work does not block the event loop, and a worker that is busy with it does not count as dead.',
  },
  { id: 'SUP-17', says: 'Kills for silence are counted separately, and do not end a stack that was ready once.' },
];
