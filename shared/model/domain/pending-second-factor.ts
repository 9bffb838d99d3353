// States: recorded → used | discarded | expired. A verified password waiting for its TOTP code, bound to one browser,
// one surface and one purpose (LOG-15 to LOG-24).
import { type Instant, plusSeconds } from '#shared/base/clock.ts';

export const secondFactorLifetimeSeconds = 300;
const pendingSecondFactorsMax = 1000;

export const loginSurfaces = ['/login', '/authorize', '/saml/sso', '/saml/idp-initiated', '/device'] as const;
export type LoginSurface = (typeof loginSurfaces)[number];

export interface PendingSecondFactor {
  readonly id: string;
  readonly browser: string;
  readonly surface: LoginSurface;
  /** What the login is for: transaction_id, user code, or a digest of SAMLRequest, RelayState and verb; '' at /login. */
  readonly purpose: string;
  /** Empty once that runtime user was deleted: whoever bears the name next is somebody else (LOG-24, RUN-14). */
  readonly username: string;
  /** When the password was verified. */
  readonly passwordVerifiedAt: Instant;
}

/** What a browser has to show to use the record: all of it (LOG-16). */
export interface SecondFactorKey {
  readonly id: string;
  readonly browser: string;
  readonly surface: LoginSurface;
  readonly purpose: string;
}

export function endOfSecondFactor({ passwordVerifiedAt }: Pick<PendingSecondFactor, 'passwordVerifiedAt'>): Instant {
  return plusSeconds(passwordVerifiedAt, secondFactorLifetimeSeconds);
}

/** Whether another may be recorded beside so many that are live (LOG-21). */
export function mayRecordSecondFactor(live: number): boolean {
  return live < pendingSecondFactorsMax;
}

/** Made for exactly this browser, surface and purpose. */
export function isSecondFactorOf(pending: PendingSecondFactor, key: SecondFactorKey): boolean {
  return (
    pending.id === key.id &&
    pending.browser === key.browser &&
    pending.surface === key.surface &&
    pending.purpose === key.purpose
  );
}

/** That, and its time is not over. */
export function isSecondFactorUsable(pending: PendingSecondFactor, key: SecondFactorKey, now: Instant): boolean {
  return isSecondFactorOf(pending, key) && now < endOfSecondFactor(pending);
}
