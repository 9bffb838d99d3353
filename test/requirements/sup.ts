// Section SUP: stack and supervision.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  { id: 'SUP-01', says: 'A stack has one address for everything, and SAML has no TCP port of its own.' },
  { id: 'SUP-02', says: 'A relayed SAML request cannot be told from a direct one, on either side.' },
  { id: 'SUP-03', says: 'While SAML is replaced its requests wait, then 503; in flight at its death: 502.' },
  { id: 'SUP-04', says: 'A killed worker costs its requests in flight and refuses nobody.' },
  { id: 'SUP-05', says: 'A dead worker is replaced, at once first and then after growing pauses.' },
  { id: 'SUP-06', says: 'The replacement goes on with the configuration and the state of its siblings.' },
  { id: 'SUP-07', says: 'A worker that dies too often, or refuses its configuration, ends the stack by name.' },
  { id: 'SUP-08', says: 'A worker that stops answering is killed and replaced.' },
  { id: 'SUP-09', says: 'A signal lets requests in flight finish and exits 0; a second one ends at once.' },
  { id: 'SUP-10', says: 'Workers whose supervisor was killed end by themselves and free the address.' },
  { id: 'SUP-11', says: 'Each step of a flow may meet another OIDC frontend.' },
  { id: 'SUP-12', says: 'Limits count for the stack and not for each frontend.' },
  { id: 'SUP-13', says: 'With the memory store a stack shares one store with itself and nobody else.' },
  { id: 'SUP-14', says: 'That store is in a private directory that never outlives the stack for long.' },
  { id: 'SUP-15', says: 'A crash of MCP costs its draft and nothing of the frontends.' },
  { id: 'SUP-16', says: 'Large work leaves the event loop free, and a worker that is busy with it is no dead one.' },
  { id: 'SUP-17', says: 'Kills for silence are counted apart, and do not end a stack that was ready once.' },
];
