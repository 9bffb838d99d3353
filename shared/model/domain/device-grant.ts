// States: pending → approved → used, pending → denied; any of them is past its time at `expiresAt`.
// A record is kept for a while after its time so that the client hears `expired_token` (GRT-23).
import { type Instant, plusSeconds } from '#shared/base/clock.ts';
import type { OwnClaims } from '#shared/model/configuration/claims.ts';
import type { AuthenticationMethod } from './authorization-request.ts';

const liveDeviceGrantsMax = 10_000;
/** How long a record outlives its time, in seconds. */
const deviceRecordAfterlifeSeconds = 600;
/** Added to the interval by each slow_down (RFC 8628 §3.5). */
export const slowDownSeconds = 5;

export type DeviceDecision =
  | { readonly state: 'pending' }
  | { readonly state: 'denied' }
  | {
      readonly state: 'approved' | 'used';
      readonly username: string;
      /** `instance_id` of the client and of the user, where they were runtime objects when it was given (RUN-14). */
      readonly clientInstance?: string | undefined;
      readonly userInstance?: string | undefined;
      readonly authenticatedAt: Instant;
      readonly method: AuthenticationMethod;
      readonly amr: readonly string[] | undefined;
      /** Typed for this login alone (PCL-18); absent: none. */
      readonly claims?: OwnClaims | undefined;
    };

export interface DeviceGrant {
  readonly device_code: string;
  readonly user_code: string;
  readonly client_id: string;
  /** `instance_id` of the client, where it was a runtime object when it asked (RUN-14). */
  readonly clientInstance?: string;
  readonly scope: readonly string[];
  readonly resource: readonly string[];
  readonly createdAt: Instant;
  readonly expiresAt: Instant;
  readonly intervalSeconds: number;
  readonly decision: DeviceDecision;
}

/** How often its client asks. */
interface DevicePolling {
  readonly intervalSeconds: number;
  readonly lastPollAt: Instant | undefined;
}

/** The record is kept until then. */
export function endOfDeviceRecord({ expiresAt }: Pick<DeviceGrant, 'expiresAt'>): Instant {
  return plusSeconds(expiresAt, deviceRecordAfterlifeSeconds);
}

export function isDeviceRecordKept(grant: Pick<DeviceGrant, 'expiresAt'>, now: Instant): boolean {
  return now < endOfDeviceRecord(grant);
}

/** Whether another may begin beside so many that are live (DEV-07): their time is not over, and they can still bring tokens. */
export function mayBeginDeviceGrant(live: number): boolean {
  return live < liveDeviceGrantsMax;
}

type DecidedGrant = Pick<DeviceGrant, 'decision' | 'expiresAt'>;

/** Its time is not over, and it can still bring tokens. */
export function isDeviceGrantLive({ decision, expiresAt }: DecidedGrant, now: Instant): boolean {
  return now < expiresAt && (decision.state === 'pending' || decision.state === 'approved');
}

/** pending → approved | denied, once; undefined for every other grant. */
export function decideDeviceGrant<Grant extends DecidedGrant>(
  grant: Grant | undefined,
  decision: DeviceDecision & { readonly state: 'approved' | 'denied' },
  now: Instant,
): Grant | undefined {
  if (grant === undefined || grant.decision.state !== 'pending' || now >= grant.expiresAt) return undefined;
  return { ...grant, decision };
}

/** What a fault does to a grant from outside. */
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

/** approved → used, once (GRT-25); undefined for every other grant. */
export function redeemDeviceGrant<Grant extends DecidedGrant>(
  grant: Grant | undefined,
  now: Instant,
): Grant | undefined {
  if (grant === undefined || grant.decision.state !== 'approved' || now >= grant.expiresAt) return undefined;
  return { ...grant, decision: { ...grant.decision, state: 'used' } };
}

/** A poll sooner than the interval after the one before makes the interval grow (GRT-21); one from the future is long ago. */
export function pollDeviceGrant(
  { intervalSeconds, lastPollAt }: DevicePolling,
  now: Instant,
): { readonly answer: 'in_time' | 'slow_down'; readonly polling: DevicePolling } {
  const tooSoon = lastPollAt !== undefined && lastPollAt <= now && now < plusSeconds(lastPollAt, intervalSeconds);
  if (!tooSoon) return { answer: 'in_time', polling: { intervalSeconds, lastPollAt: now } };
  return { answer: 'slow_down', polling: { intervalSeconds: intervalSeconds + slowDownSeconds, lastPollAt: now } };
}
