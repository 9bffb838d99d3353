// Which tokens are no longer valid. Every entry is stored for at least 31 days of real time, and until `expiresAt`,
// wherever the clock of the namespace moves meanwhile (REF-17, REV-03, TIM-22). Used assertions are stored only until
// they expire (pending-age.ts).
import type { Instant } from '#shared/base/clock.ts';
import type { RefreshTokenPlace } from '#shared/model/domain/refresh-family.ts';

interface RefreshTokenClaim {
  readonly family: string;
  readonly place: RefreshTokenPlace;
  /** When the last token of the family expires, as far as it is known. */
  readonly expiresAt: Instant;
  /** Whether rotation is active for this use (REF-14). */
  readonly rotate: boolean;
}

export interface TokenState {
  /**
   * Claims a refresh token. With rotation at most one call returns `spent`. A later call returns `reused` and revokes
   * the family in the same step, except its access tokens (REF-15, REF-16, REF-18). A token that rotation used up stays
   * rejected when rotation is turned off. `revoked`: the family was revoked before.
   */
  spendRefreshToken(claim: RefreshTokenClaim): Promise<'spent' | 'reused' | 'revoked'>;
  /** Revokes the family with its access tokens (REV-03, REV-04). */
  revokeFamily(family: string, expiresAt: Instant): Promise<void>;
  /** Revokes one access token (REV-02). */
  revokeAccessToken(jti: string, expiresAt: Instant): Promise<void>;
  /**
   * Returns whether this is the first use of an assertion. `id` is unique among all that count at this server (SSO-50).
   */
  useAssertion(id: string, expiresAt: Instant): Promise<boolean>;
  /** Ends what a session cookie was given: its login and its unlocking are no longer valid. */
  endCookie(id: string, expiresAt: Instant): Promise<void>;
  isCookieEnded(id: string): Promise<boolean>;
  /** Whether an access token was revoked, directly or with its family (`undefined`: it has none). */
  isAccessTokenRevoked(jti: string, family: string | undefined): Promise<boolean>;
  /** Whether a refresh token was used up by rotation, or its family revoked (INT-03). */
  isRefreshTokenSpentOrRevoked(family: string, place: RefreshTokenPlace): Promise<boolean>;
}
