// Faults of the device flow (FLT-K128 to FLT-K133).
import { type FaultRow, faultRow } from '../fault-row.ts';
import { without } from '../members.ts';

const atDeviceAuthorization = { at: ['device_authorization'], phase: 'after' } as const;

export const deviceFaults: readonly FaultRow[] = [
  faultRow({
    ...atDeviceAuthorization,
    id: 'FLT-K131',
    name: 'device_interval_missing',
    effect: 'The answer has no interval.',
    client: 'accept',
    source: 'RFC 8628 §3.2',
    make: () => ({ seam: 'document', change: without('interval') }),
  }),
  faultRow({
    ...atDeviceAuthorization,
    id: 'FLT-K132',
    name: 'device_complete_uri_missing',
    effect: 'The answer has no verification_uri_complete.',
    client: 'accept',
    source: 'RFC 8628 §3.2',
    make: () => ({ seam: 'document', change: without('verification_uri_complete') }),
  }),
];
