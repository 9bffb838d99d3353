// States: pending → approved → used, pending → denied; any of them is past its time at `expiresAt`.
// A record is kept for a while after its time so that the client hears `expired_token` (GRT-23).
import type { Instant } from '#shared/clock.ts';
import type { AuthenticationMethod } from './authorization-request.ts';

export const liveDeviceGrantsMax = 10_000;
/** How long a record outlives its time, in seconds. */
export const deviceRecordAfterlifeSeconds = 600;
export const slowDownSeconds = 5;

export type DeviceDecision =
  | { readonly state: 'pending' }
  | { readonly state: 'denied' }
  | {
      readonly state: 'approved' | 'used';
      readonly username: string;
      readonly authenticatedAt: Instant;
      readonly method: AuthenticationMethod;
      readonly amr: readonly string[] | undefined;
    };

export interface DeviceGrant {
  readonly device_code: string;
  readonly user_code: string;
  readonly client_id: string;
  readonly scope: readonly string[];
  readonly resource: readonly string[];
  readonly createdAt: Instant;
  readonly expiresAt: Instant;
  readonly intervalSeconds: number;
  readonly decision: DeviceDecision;
}
