// Faults in the members of the token response (FLT-K083 to FLT-K096).
import { type FaultRow, faultRow } from '../fault-row.ts';
import { without } from '../members.ts';

export const tokenResponseFaults: readonly FaultRow[] = [
  faultRow({
    id: 'FLT-K085',
    name: 'access_token_missing',
    effect: 'The answer has no access_token.',
    at: ['token'],
    phase: 'after',
    client: 'reject',
    source: 'RFC 6749 §5.1',
    make: () => ({ seam: 'token_response', change: without('access_token') }),
  }),
];
