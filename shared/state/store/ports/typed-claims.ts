import type { Instant } from '#shared/base/clock.ts';
import type { OwnClaims } from '#shared/model/configuration/claims.ts';
import type { NamedClaims } from '#shared/model/domain/typed-claims.ts';

/**
 * Claims typed for one login, stored under the name of what the login produced. They are stored for at least 31 days of
 * real time, and until `until`, wherever the clock of the namespace moves meanwhile. The state of the tokens that need
 * them is stored in the same way.
 */
export interface TypedClaims {
  /**
   * Stores the claims, or extends the time of those already stored under the name. Where there are too many, those
   * stored longest ago are evicted.
   */
  save(named: NamedClaims, until: Instant): Promise<void>;
  /** undefined: they expired, were evicted, or never existed. */
  find(name: string): Promise<OwnClaims | undefined>;
}
