// Faults in the response of /register (FLT-K134 and FLT-K135).
import { type FaultRow, faultRow } from '../fault-row.ts';
import { withoutMember } from '../json-changes.ts';

export const registrationFaults: readonly FaultRow[] = [
  faultRow({
    at: ['register'],
    phase: 'after',
    id: 'FLT-K134',
    name: 'registration_secret_missing',
    effect: 'The response for a confidential client has no client_secret.',
    client: 'reject',
    source: 'RFC 7591 §3.2.1',
    make: () => ({ hookPoint: 'document', change: withoutMember('client_secret') }),
  }),
  faultRow({
    at: ['register'],
    phase: 'after',
    id: 'FLT-K135',
    name: 'registration_redirects_changed',
    effect: 'The client is registered with other redirect_uris than it requested, and the response shows them.',
    client: 'either',
    source: 'RFC 7591 §3.2.1',
    make: () => ({
      hookPoint: 'registration',
      change: (entry) => ({ ...entry, redirect_uris: ['https://registered.example/callback'] }),
    }),
  }),
];
