// States: recorded → used | discarded | expired. A verified password waiting for its TOTP code, bound to one browser,
// one surface and one purpose (LOG-15 to LOG-24).
import type { Instant } from '#shared/clock.ts';

export const secondFactorLifetimeSeconds = 300;
export const pendingSecondFactorsMax = 1000;

export type LoginSurface = '/login' | '/authorize' | '/saml/sso' | '/device';

export interface PendingSecondFactor {
  readonly id: string;
  readonly browser: string;
  readonly surface: LoginSurface;
  /** What the login is for: transaction_id, user code, or a digest of SAMLRequest, RelayState and verb; '' at /login. */
  readonly purpose: string;
  readonly username: string;
  /** When the password was verified. */
  readonly passwordVerifiedAt: Instant;
}
