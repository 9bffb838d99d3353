// Faults of the device flow (FLT-K128 to FLT-K133).

import type { Document } from '#shared/engine/exchange/output-hooks.ts';
import { slowDownSeconds } from '#shared/model/domain/device-grant.ts';
import { type FaultRow, faultRow } from '../fault-row.ts';
import { withoutMember } from '../json-changes.ts';

const atDeviceAuthorization = { at: ['device_authorization'], phase: 'after' } as const;

export const deviceFaults: readonly FaultRow[] = [
  faultRow({
    at: ['token'],
    phase: 'before',
    id: 'FLT-K128',
    name: 'device_slow_down',
    effect: `A poll for a valid grant gets slow_down. From then on, the interval is ${slowDownSeconds} s longer.`,
    client: 'recover',
    source: 'RFC 8628 §3.5',
    make: () => ({ hookPoint: 'device_grant', how: 'slow_down' }),
  }),
  faultRow({
    at: ['token'],
    phase: 'after',
    id: 'FLT-K129',
    name: 'device_expired',
    effect: 'A poll for a valid grant gets expired_token, and the grant ends.',
    refuses: true,
    client: 'recover',
    source: 'RFC 8628 §3.5',
    make: () => ({ hookPoint: 'device_grant', how: 'expire' }),
  }),
  faultRow({
    at: ['token'],
    phase: 'after',
    id: 'FLT-K130',
    name: 'device_denied',
    effect: 'A poll for a valid grant gets access_denied, and the grant is denied.',
    refuses: true,
    client: 'recover',
    source: 'RFC 8628 §3.5',
    make: () => ({ hookPoint: 'device_grant', how: 'deny' }),
  }),
  faultRow({
    ...atDeviceAuthorization,
    id: 'FLT-K131',
    name: 'device_interval_missing',
    effect: 'The response has no interval.',
    client: 'accept',
    source: 'RFC 8628 §3.2',
    make: () => ({ hookPoint: 'document', change: withoutMember('interval') }),
  }),
  faultRow({
    ...atDeviceAuthorization,
    id: 'FLT-K132',
    name: 'device_complete_uri_missing',
    effect: 'The response has no verification_uri_complete.',
    client: 'accept',
    source: 'RFC 8628 §3.2',
    make: () => ({ hookPoint: 'document', change: withoutMember('verification_uri_complete') }),
  }),
  faultRow({
    ...atDeviceAuthorization,
    id: 'FLT-K133',
    name: 'device_user_code_reused',
    effect: 'The user_code belongs to the newest other valid grant. Approving it approves that grant.',
    client: 'either',
    source: 'RFC 8628 §6.1',
    make: () => ({
      hookPoint: 'document',
      async change(document, { store, now }) {
        const other = await store.deviceGrants.newestPendingBeside(String(document.device_code), now);
        return other && { ...document, ...addressed(document, other.user_code) };
      },
    }),
  }),
];

/** Updates verification_uri_complete to the code. */
function addressed({ user_code: own, verification_uri_complete: complete }: Document, user_code: string): Document {
  return typeof complete === 'string'
    ? { user_code, verification_uri_complete: complete.replace(String(own), user_code) }
    : { user_code };
}
