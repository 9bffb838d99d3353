// Rows of `device_grants` as the domain sees them.
import * as z from 'zod';
import type { Instant } from '#shared/clock.ts';
import { type DeviceDecision, type DeviceGrant, isDeviceRecordKept } from '#shared/domain/device-grant.ts';
import { approvalShape, encoded, instantColumn, namesShape } from '../json-columns.ts';

export const grantRow = z.object({
  device_code: z.string(),
  user_code: z.string(),
  client_id: z.string(),
  client_instance: z.string().nullable(),
  scope: encoded(namesShape),
  resource: encoded(namesShape),
  created_at: instantColumn,
  expires_at: instantColumn,
  interval_seconds: z.number(),
  last_poll_at: instantColumn.nullable(),
  state: z.enum(['pending', 'denied', 'approved', 'used']),
  approval: encoded(approvalShape).nullable(),
});

export const grantColumns = `device_code, user_code, client_id, client_instance, scope, resource, created_at, expires_at,
  interval_seconds, last_poll_at, state, approval`;

/** Kept beyond its time for what its client hears. */
export function unlessForgotten(grant: DeviceGrant, now: Instant): DeviceGrant | undefined {
  return isDeviceRecordKept(grant, now) ? grant : undefined;
}

export function grantOf(row: z.output<typeof grantRow>): DeviceGrant {
  return {
    device_code: row.device_code,
    user_code: row.user_code,
    client_id: row.client_id,
    ...(row.client_instance === null ? {} : { clientInstance: row.client_instance }),
    scope: row.scope,
    resource: row.resource,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    intervalSeconds: row.interval_seconds,
    decision: decisionOf(row),
  };
}

function decisionOf({ state, approval }: z.output<typeof grantRow>): DeviceDecision {
  if (state === 'pending' || state === 'denied') return { state };
  if (approval === null) throw new Error('A decided device grant has no approval.');
  return { state, ...approval };
}
