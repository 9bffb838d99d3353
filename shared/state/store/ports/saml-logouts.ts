import type { Instant } from '#shared/base/clock.ts';
import type { GivenAssertion, SamlLogout } from '#shared/model/domain/saml-logout.ts';

/** Active single logouts, and those that ended a moment ago (section SLO). */
export interface SamlLogouts {
  begin(logout: SamlLogout, now: Instant): Promise<void>;
  /** Returns the live logouts, newest first. */
  recent(now: Instant): Promise<readonly SamlLogout[]>;
  /**
   * Replaces a live logout in one step. undefined: it does not exist, or `change` has nothing to change. `change` must
   * be pure, because it may be called again.
   */
  change(
    id: string,
    now: Instant,
    change: (logout: SamlLogout) => SamlLogout | undefined,
  ): Promise<SamlLogout | undefined>;
  /**
   * Stores the assertions of ended sessions for the duration of a logout: the participants still know them (SLO-04).
   */
  keepEnded(assertions: readonly GivenAssertion[], now: Instant): Promise<void>;
  /** Returns the session indexes of the stored assertions under any of these marks (`markOfName`). */
  endedUnder(marks: readonly string[], now: Instant): Promise<readonly string[]>;
}
