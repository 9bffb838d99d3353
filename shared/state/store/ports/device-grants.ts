import type { Instant } from '#shared/base/clock.ts';
import type { OwnClaims } from '#shared/model/configuration/claims.ts';
import type { AuthenticationMethod } from '#shared/model/domain/authorization-request.ts';
import type { DeviceGrant, DeviceInterference } from '#shared/model/domain/device-grant.ts';
import type { NamedClaims } from '#shared/model/domain/typed-claims.ts';

export interface DeviceApproval {
  readonly username: string;
  /** `instance_id` of the client and of the user, where they were runtime objects when it was given (RUN-14). */
  readonly clientInstance?: string | undefined;
  readonly userInstance?: string | undefined;
  readonly authenticatedAt: Instant;
  readonly method: AuthenticationMethod;
  readonly amr: readonly string[] | undefined;
  /** Typed for this login alone (PCL-18); absent: none. */
  readonly claims?: OwnClaims | undefined;
}

export interface DeviceGrants {
  /** `collision`: device_code or user_code is in use, draw again; `full`: 10 000 are live (DEV-07). */
  begin(grant: DeviceGrant, now: Instant): Promise<'begun' | 'collision' | 'full'>;
  findByUserCode(userCode: string, now: Instant): Promise<DeviceGrant | undefined>;
  findByDeviceCode(deviceCode: string, now: Instant): Promise<DeviceGrant | undefined>;
  /** Decides a pending live grant once; `not_pending` for every other. */
  approve(userCode: string, approval: DeviceApproval, now: Instant): Promise<'approved' | 'not_pending'>;
  deny(userCode: string, now: Instant): Promise<'denied' | 'not_pending'>;
  /**
   * Notes a poll. `slow_down` when it came sooner than the interval after the previous one: the interval then grows by
   * 5 s (GRT-21). Call it only where the interval is enforced.
   */
  notePoll(deviceCode: string, now: Instant): Promise<'in_time' | 'slow_down'>;
  /**
   * Ends a live grant, denies it, or lets its interval grow by 5 s, whatever was decided (FLT-K128 to FLT-K130). Answers
   * the grant as it is then; undefined where it is not live.
   */
  interfere(deviceCode: string, how: DeviceInterference, now: Instant): Promise<DeviceGrant | undefined>;
  /** The live pending grant that began last, that of `deviceCode` excepted. */
  newestPendingBeside(deviceCode: string, now: Instant): Promise<DeviceGrant | undefined>;
  /**
   * approved → used, at most once (GRT-25). `typed`: claims of the login, kept in the same step for the tokens it brings.
   */
  redeem(
    deviceCode: string,
    now: Instant,
    typed?: NamedClaims & { readonly until: Instant },
  ): Promise<'redeemed' | 'not_approved'>;
}
