// Faults in the discovery document (FLT-K104 to FLT-K109).
import { type FaultRow, faultRow } from '../fault-row.ts';
import { replacing } from '../members.ts';

export const discoveryFaults: readonly FaultRow[] = [
  faultRow({
    id: 'FLT-K104',
    name: 'discovery_issuer_mismatch',
    effect: 'The document names the issuer https://attacker.example.',
    at: ['discovery'],
    phase: 'after',
    client: 'reject',
    source: 'OIDC Discovery §4.3, RFC 8414 §3.3',
    make: () => ({ seam: 'document', change: replacing({ issuer: 'https://attacker.example' }) }),
  }),
];
