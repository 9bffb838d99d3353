import type { Instant } from '#shared/base/clock.ts';
import type { OwnClaims } from '#shared/model/configuration/claims.ts';
import type { NamedClaims } from '#shared/model/domain/typed-claims.ts';

/**
 * Claims typed for one login, by the name of what came of it. Kept for 31 days of real time at least, and until `until`,
 * wherever the clock of the namespace goes meanwhile, like what is remembered of the tokens that need them.
 */
export interface TypedClaims {
  /** Keeps them, or those of the name longer; where there are too many, those kept longest ago give way. */
  keep(named: NamedClaims, until: Instant): Promise<void>;
  /** undefined: they are over, gave way, or never were. */
  find(name: string): Promise<OwnClaims | undefined>;
}
