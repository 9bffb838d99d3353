import type { Instant } from '#shared/base/clock.ts';
import type { OwnClaims } from '#shared/model/configuration/claims.ts';
import type { AuthenticationMethod } from '#shared/model/domain/authorization-request.ts';
import type { DeviceGrant, DeviceInterference } from '#shared/model/domain/device-grant.ts';
import type { NamedClaims } from '#shared/model/domain/typed-claims.ts';

export interface DeviceApproval {
  readonly username: string;
  /** `instance_id` of the client and of the user, where they were runtime objects at the approval (RUN-14). */
  readonly clientInstance?: string | undefined;
  readonly userInstance?: string | undefined;
  readonly authenticatedAt: Instant;
  readonly method: AuthenticationMethod;
  readonly amr: readonly string[] | undefined;
  /** Claims typed for this login alone (PCL-18). Absent: none. */
  readonly claims?: OwnClaims | undefined;
}

export interface DeviceGrants {
  /** `collision`: device_code or user_code is in use, so the caller draws again. `full`: 10 000 are live (DEV-07). */
  begin(grant: DeviceGrant, now: Instant): Promise<'begun' | 'collision' | 'full'>;
  findByUserCode(userCode: string, now: Instant): Promise<DeviceGrant | undefined>;
  findByDeviceCode(deviceCode: string, now: Instant): Promise<DeviceGrant | undefined>;
  /** Decides a pending live grant once. Returns `not_pending` for every other grant. */
  approve(userCode: string, approval: DeviceApproval, now: Instant): Promise<'approved' | 'not_pending'>;
  deny(userCode: string, now: Instant): Promise<'denied' | 'not_pending'>;
  /**
   * Records a poll. Returns `slow_down` when it came sooner than the interval after the previous poll. The interval
   * then grows by 5 s (GRT-21). Call it only where the interval is enforced.
   */
  notePoll(deviceCode: string, now: Instant): Promise<'in_time' | 'slow_down'>;
  /**
   * Ends a live grant, denies it, or extends its interval by 5 s, even if the user has decided (FLT-K128 to
   * FLT-K130). Returns the changed grant, or undefined when it is not live.
   */
  interfere(deviceCode: string, how: DeviceInterference, now: Instant): Promise<DeviceGrant | undefined>;
  /** Returns the live pending grant that began last, except that of `deviceCode`. */
  newestPendingBeside(deviceCode: string, now: Instant): Promise<DeviceGrant | undefined>;
  /**
   * approved → used, at most once (GRT-25). `typed`: claims of the login, stored in the same step for the issued
   * tokens.
   */
  redeem(
    deviceCode: string,
    now: Instant,
    typed?: NamedClaims & { readonly until: Instant },
  ): Promise<'redeemed' | 'not_approved'>;
}
