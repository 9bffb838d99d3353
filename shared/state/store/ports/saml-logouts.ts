import type { Instant } from '#shared/base/clock.ts';
import type { GivenAssertion, SamlLogout } from '#shared/model/domain/saml-logout.ts';

/** Single logouts under way, and those that ended a moment ago (section SLO). */
export interface SamlLogouts {
  begin(logout: SamlLogout, now: Instant): Promise<void>;
  /** The live ones, the newest first. */
  recent(now: Instant): Promise<readonly SamlLogout[]>;
  /**
   * Takes the place of a live one in one step; undefined: it is not there, or `change` has nothing to change. `change` is
   * pure: it may be asked again.
   */
  change(
    id: string,
    now: Instant,
    change: (logout: SamlLogout) => SamlLogout | undefined,
  ): Promise<SamlLogout | undefined>;
  /** What was given in sessions that ended is remembered for as long as a logout goes on: those who took part know it still (SLO-04). */
  keepEnded(assertions: readonly GivenAssertion[], now: Instant): Promise<void>;
  /** The session indexes of what is remembered so under any of these marks (`markOfName`). */
  endedUnder(marks: readonly string[], now: Instant): Promise<readonly string[]>;
}
