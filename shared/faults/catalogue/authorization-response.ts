// Faults in what /authorize sends to the client (FLT-K023 to FLT-K036).
import { type FaultRow, faultRow } from '../fault-row.ts';

export const authorizationResponseFaults: readonly FaultRow[] = [
  faultRow({
    id: 'FLT-K023',
    name: 'state_missing',
    effect: 'The response has no state.',
    at: ['authorize'],
    phase: 'after',
    client: 'reject',
    source: 'RFC 6749 §4.1.2',
    make: () => ({
      seam: 'authorization_response',
      change: (response) => {
        const parameters = response.parameters.filter(([name]) => name !== 'state');
        return parameters.length === response.parameters.length ? undefined : { ...response, parameters };
      },
    }),
  }),
];
