// Whom a route is for. What follows from that (which form a refusal has, at which hosts it answers, whose scripts may read it)
// is said here once for each audience, and a route names its audience.

/**
 * What a refusal looks like when the endpoint throws:
 * protocol: OAuthError as `{error, error_description}`; api: `{error, kind?}`; page: an HTML error page.
 */
export type Surface = 'protocol' | 'api' | 'page';

export interface AudienceRules {
  readonly surface: Surface;
  /** own: at this machine's own names alone, as it is for people and programs of this machine (D42); every: at each Host. */
  readonly hosts: 'own' | 'every';
  /**
   * The scripts of which origins may read it: every one, unless a list is declared (D48); listed ones; or none, so that no
   * response carries a header of CORS (REC-06).
   */
  readonly origins: 'every' | 'listed' | 'none';
  /** It never looks at the configuration files or the store (STO-18, STO-16). */
  readonly standsAlone: boolean;
  /** Its responses know no time: they say nothing of a clock that is moved (TIM-24). */
  readonly timeless: boolean;
  /** false: no sandbox has it (SBX-20). */
  readonly inSandbox?: false;
}

export const audiences = {
  /** Clients, resource servers and service providers. */
  protocol: { surface: 'protocol', hosts: 'every', origins: 'every', standsAlone: false, timeless: false },
  /**
   * Browsers that a protocol leads here, or shows it where it does. It answers at each Host, as protocol endpoints do. Scripts of
   * other origins read it only where they are listed (RFC 9700 §2.6).
   */
  navigation: { surface: 'page', hosts: 'every', origins: 'listed', standsAlone: false, timeless: false },
  /** Programs of this machine: the REST API. */
  api: { surface: 'api', hosts: 'own', origins: 'listed', standsAlone: false, timeless: false },
  /** People at this machine: the web UI. */
  page: { surface: 'page', hosts: 'own', origins: 'listed', standsAlone: false, timeless: false },
  /** Who asks whether the process works. */
  health: { surface: 'api', hosts: 'every', origins: 'every', standsAlone: true, timeless: false },
  /** Browsers that load what a page needs. */
  asset: { surface: 'page', hosts: 'every', origins: 'every', standsAlone: true, timeless: true, inSandbox: false },
} as const satisfies Readonly<Record<string, AudienceRules>>;

export type Audience = keyof typeof audiences;
