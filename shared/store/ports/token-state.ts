import type { Instant } from '#shared/clock.ts';

/** A revoked family is remembered for 31 days (REF-17). */
export const revokedFamilyMemorySeconds = 31 * 24 * 3600;

export interface RefreshTokenUse {
  readonly family: string;
  readonly jti: string;
  /** When the presented token expires by itself: its use need not be remembered longer. */
  readonly expiresAt: Instant;
  /** Rotation is in force for this use (REF-14). */
  readonly rotate: boolean;
}

export interface TokenState {
  /**
   * Claims a refresh token. With rotation at most one call answers `spent`; a later one answers `reused` and revokes
   * the family in the same step, its access tokens excepted (REF-15, REF-16, REF-18). A token that rotation used up
   * stays refused when rotation is turned off. `revoked`: the family was revoked before.
   */
  spendRefreshToken(use: RefreshTokenUse, now: Instant): Promise<'spent' | 'reused' | 'revoked'>;
  /** Revokes the family with its access tokens (REV-03, REV-04). */
  revokeFamily(family: string, now: Instant): Promise<void>;
  /** Revokes one access token until it expires (REV-02). */
  revokeAccessToken(jti: string, expiresAt: Instant, now: Instant): Promise<void>;
  /** Whether an access token was revoked, by itself or with its family (`undefined`: it has none). */
  isAccessTokenRevoked(jti: string, family: string | undefined, now: Instant): Promise<boolean>;
  /** Whether a refresh token was used up by rotation or its family revoked (INT-03). */
  isRefreshTokenSpentOrRevoked(jti: string, family: string, now: Instant): Promise<boolean>;
}
