import type { Instant } from '#shared/clock.ts';
import type { SamlLogout } from '#shared/domain/saml-logout.ts';

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
}
