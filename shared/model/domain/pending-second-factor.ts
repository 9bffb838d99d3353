// States: recorded → used | discarded | expired. A verified password that waits for its TOTP code, bound to one
// browser, one surface and one purpose (LOG-15 to LOG-24).
import { type Instant, plusSeconds } from '#shared/base/clock.ts';

export const secondFactorLifetimeSeconds = 300;
const pendingSecondFactorsMax = 1000;

export const loginSurfaces = ['/login', '/authorize', '/saml/sso', '/saml/idp-initiated', '/device'] as const;
export type LoginSurface = (typeof loginSurfaces)[number];

export interface PendingSecondFactor {
  readonly id: string;
  readonly browser: string;
  readonly surface: LoginSurface;
  /**
   * The purpose of the login: transaction_id, user code, or a digest of SAMLRequest, RelayState and verb. '' at /login.
   */
  readonly purpose: string;
  /** Empty once that runtime user was deleted: the next user of that name is another user (LOG-24, RUN-14). */
  readonly username: string;
  /** When the password was verified. */
  readonly passwordVerifiedAt: Instant;
}

/** A browser must present all of it to use the record (LOG-16). */
export interface SecondFactorKey {
  readonly id: string;
  readonly browser: string;
  readonly surface: LoginSurface;
  readonly purpose: string;
}

export function endOfSecondFactor({ passwordVerifiedAt }: Pick<PendingSecondFactor, 'passwordVerifiedAt'>): Instant {
  return plusSeconds(passwordVerifiedAt, secondFactorLifetimeSeconds);
}

/** Whether another may be recorded while this many are live (LOG-21). */
export function mayRecordSecondFactor(live: number): boolean {
  return live < pendingSecondFactorsMax;
}

/** Whether it was created for exactly this browser, surface and purpose. */
export function isSecondFactorOf(pending: PendingSecondFactor, key: SecondFactorKey): boolean {
  return (
    pending.id === key.id &&
    pending.browser === key.browser &&
    pending.surface === key.surface &&
    pending.purpose === key.purpose
  );
}

/** Like `isSecondFactorOf`, and not expired. */
export function isSecondFactorUsable(pending: PendingSecondFactor, key: SecondFactorKey, now: Instant): boolean {
  return isSecondFactorOf(pending, key) && now < endOfSecondFactor(pending);
}
