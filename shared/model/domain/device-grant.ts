// States: pending → approved → used, pending → denied. All of them expire at `expiresAt`. A record is kept for a while
// after that, so that the client receives `expired_token` (GRT-23).
import { type Instant, plusSeconds } from '#shared/base/clock.ts';
import type { OwnClaims } from '#shared/model/configuration/claims.ts';
import type { AuthenticationMethod } from './authorization-request.ts';

const liveDeviceGrantsMax = 10_000;
/** How long a record is kept after it expires, in seconds. */
const deviceRecordAfterlifeSeconds = 600;
/** Added to the interval by each slow_down (RFC 8628 §3.5). */
export const slowDownSeconds = 5;

export type DeviceDecision =
  | { readonly state: 'pending' }
  | { readonly state: 'denied' }
  | {
      readonly state: 'approved' | 'used';
      readonly username: string;
      /** `instance_id` of the client and of the user, if they were runtime objects at the decision (RUN-14). */
      readonly clientInstance?: string | undefined;
      readonly userInstance?: string | undefined;
      readonly authenticatedAt: Instant;
      readonly method: AuthenticationMethod;
      readonly amr: readonly string[] | undefined;
      /** Typed for this login only (PCL-18). Absent: none. */
      readonly claims?: OwnClaims | undefined;
    };

export interface DeviceGrant {
  readonly device_code: string;
  readonly user_code: string;
  readonly client_id: string;
  /** `instance_id` of the client, if it was a runtime object at the request (RUN-14). */
  readonly clientInstance?: string;
  readonly scope: readonly string[];
  readonly resource: readonly string[];
  readonly createdAt: Instant;
  readonly expiresAt: Instant;
  readonly intervalSeconds: number;
  readonly decision: DeviceDecision;
}

/** How often its client polls. */
interface DevicePolling {
  readonly intervalSeconds: number;
  readonly lastPollAt: Instant | undefined;
}

/** The record is kept until this time. */
export function endOfDeviceRecord({ expiresAt }: Pick<DeviceGrant, 'expiresAt'>): Instant {
  return plusSeconds(expiresAt, deviceRecordAfterlifeSeconds);
}

export function isDeviceRecordKept(grant: Pick<DeviceGrant, 'expiresAt'>, now: Instant): boolean {
  return now < endOfDeviceRecord(grant);
}

/** Whether another grant may begin while this many are live (DEV-07): not expired, and still able to yield tokens. */
export function mayBeginDeviceGrant(live: number): boolean {
  return live < liveDeviceGrantsMax;
}

type DecidedGrant = Pick<DeviceGrant, 'decision' | 'expiresAt'>;

/** Not expired, and still able to yield tokens. */
export function isDeviceGrantLive({ decision, expiresAt }: DecidedGrant, now: Instant): boolean {
  return now < expiresAt && (decision.state === 'pending' || decision.state === 'approved');
}

/** pending → approved | denied, once. undefined for every other grant. */
export function decideDeviceGrant<Grant extends DecidedGrant>(
  grant: Grant | undefined,
  decision: DeviceDecision & { readonly state: 'approved' | 'denied' },
  now: Instant,
): Grant | undefined {
  if (grant === undefined || grant.decision.state !== 'pending' || now >= grant.expiresAt) return undefined;
  return { ...grant, decision };
}

/** How a fault changes a grant. */
export type DeviceInterference = 'expire' | 'deny' | 'slow_down';

/** undefined for a grant that is not live. */
export function interfereWithDeviceGrant(
  grant: DeviceGrant | undefined,
  how: DeviceInterference,
  now: Instant,
): DeviceGrant | undefined {
  if (grant === undefined || !isDeviceGrantLive(grant, now)) return undefined;
  switch (how) {
    case 'expire':
      return { ...grant, expiresAt: now };
    case 'deny':
      return { ...grant, decision: { state: 'denied' } };
    case 'slow_down':
      return { ...grant, intervalSeconds: grant.intervalSeconds + slowDownSeconds };
  }
}

/** approved → used, once (GRT-25). undefined for every other grant. */
export function redeemDeviceGrant<Grant extends DecidedGrant>(
  grant: Grant | undefined,
  now: Instant,
): Grant | undefined {
  if (grant === undefined || grant.decision.state !== 'approved' || now >= grant.expiresAt) return undefined;
  return { ...grant, decision: { ...grant.decision, state: 'used' } };
}

/**
 * A poll sooner than the interval after the previous one increases the interval (GRT-21). A previous poll in the future
 * is ignored.
 */
export function pollDeviceGrant(
  { intervalSeconds, lastPollAt }: DevicePolling,
  now: Instant,
): { readonly answer: 'in_time' | 'slow_down'; readonly polling: DevicePolling } {
  const tooSoon = lastPollAt !== undefined && lastPollAt <= now && now < plusSeconds(lastPollAt, intervalSeconds);
  if (!tooSoon) return { answer: 'in_time', polling: { intervalSeconds, lastPollAt: now } };
  return { answer: 'slow_down', polling: { intervalSeconds: intervalSeconds + slowDownSeconds, lastPollAt: now } };
}
