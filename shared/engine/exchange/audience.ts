// The audience of a route. Each audience defines the form of its rejections, the hosts that it is served at, and the
// origins whose scripts may read it. A route names its audience.

/**
 * The form of a rejection when the endpoint throws:
 * protocol: OAuthError as `{error, error_description}`; api: `{error, kind?}`; page: an HTML error page.
 */
export type Surface = 'protocol' | 'api' | 'page';

/** The origins that `*` covers at an endpoint (cors.ts). */
export type CorsReach = 'every_with_credentials' | 'every' | 'listed';

export interface AudienceRules {
  readonly surface: Surface;
  /**
   * own: only at this machine's own names, because it serves people and programs of this machine (D42); every: at each
   * Host.
   */
  readonly hosts: 'own' | 'every';
  /**
   * Which origins' scripts may read it: `every`, unless a list is declared (D48); `every_with_credentials`, for an
   * endpoint that reads no cookie (CRS-02); `listed`; or `none`, so that no response carries a CORS header (REC-06).
   */
  readonly origins: CorsReach | 'none';
  /** It never reads the configuration files or the store (STO-18, STO-16). */
  readonly isIndependent: boolean;
  /** Its responses do not depend on the time, so they do not mention a moved clock (TIM-24). */
  readonly isTimeless: boolean;
  /** false: sandboxes do not have it (SBX-20). */
  readonly inSandbox?: false;
}

export const audiences = {
  /** Clients, resource servers and service providers. */
  protocol: { surface: 'protocol', hosts: 'every', origins: 'every', isIndependent: false, isTimeless: false },
  /**
   * Browsers that follow a protocol's redirects or links. It is served at each Host, as protocol endpoints are. RFC 9700
   * §2.6 forbids CORS at /authorize, so scripts of other origins can read it only if they are listed.
   */
  navigation: { surface: 'page', hosts: 'every', origins: 'listed', isIndependent: false, isTimeless: false },
  /** Programs of this machine: the REST API. */
  api: { surface: 'api', hosts: 'own', origins: 'listed', isIndependent: false, isTimeless: false },
  /** People at this machine: the web UI. */
  page: { surface: 'page', hosts: 'own', origins: 'listed', isIndependent: false, isTimeless: false },
  /** Health checks. */
  health: { surface: 'api', hosts: 'every', origins: 'every', isIndependent: true, isTimeless: false },
  /** Browsers that load the assets of a page. */
  asset: { surface: 'page', hosts: 'every', origins: 'every', isIndependent: true, isTimeless: true, inSandbox: false },
} as const satisfies Readonly<Record<string, AudienceRules>>;

/** The overrides of a route that reads no cookie, so that every origin may send credentials under `dev` (CRS-02). */
export const readsNoCookie = { origins: 'every_with_credentials' } as const satisfies Partial<AudienceRules>;

export type Audience = keyof typeof audiences;
