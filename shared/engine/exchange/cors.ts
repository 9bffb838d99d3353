// Cross-origin rules, fixed at process start (ACT-17). A declared list applies in every profile. Without one the
// profile decides (HDR-04 to HDR-11, CRS-01 to CRS-03).
import type { ProfileRules } from '#shared/model/configuration/profile-rules.ts';
import type { CorsReach } from './audience.ts';

export interface CorsPolicy {
  /** The declared list, or undefined when the profile decides. */
  readonly declared: readonly string[] | undefined;
  /** `cors_applied_origins` of GET /api/config: the origins active since the start. */
  readonly applied: readonly string[];
  /**
   * Headers for every response to a request from `origin` (undefined: it sent none). With the reach `listed` the
   * profile's default `*` does not cover the requested path. A declared `*` covers every path (D48).
   */
  headersFor(origin: string | undefined, reach: CorsReach): Readonly<Record<string, string>>;
  /** Whether the declared list contains the origin itself; `*` and the profile's default do not count (D17). */
  listsExplicitly(origin: string): boolean;
}

const exposed = 'WWW-Authenticate, DPoP-Nonce, Location, Retry-After, ETag, X-Test-Idp-Clock, X-Test-Idp-Fault';
const loopbackOrigin = /^http:\/\/(?:localhost|127\.0\.0\.1)(?::[0-9]{1,5})?$/i;
const anyOrigin = { 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': exposed } as const;
const anyOriginButVarying = { ...anyOrigin, Vary: 'Origin' } as const;
const none = {} as const;
const vary = { Vary: 'Origin' } as const;

type CorsRules = Pick<ProfileRules, 'defaultCorsOrigins' | 'allowCredentialsOfEveryOrigin'>;

export function corsPolicy(declared: readonly string[] | undefined, rules: CorsRules): CorsPolicy {
  if (declared === undefined) return profilePolicy(rules);
  const listed = new Set(declared.filter((entry) => entry !== '*').map((entry) => entry.toLowerCase()));
  const any = declared.includes('*');
  const listsExplicitly = (origin: string) => listed.has(origin.toLowerCase());
  return {
    declared,
    applied: declared,
    listsExplicitly,
    headersFor(origin, reach) {
      if (origin === undefined) return vary;
      if (listsExplicitly(origin)) return allowWithCredentials(origin);
      if (!any) return vary;
      return takesCredentials(rules, reach) ? allowWithCredentials(origin) : allow(origin);
    },
  };
}

function profilePolicy(rules: CorsRules): CorsPolicy {
  const listsExplicitly = () => false;
  if (rules.defaultCorsOrigins === 'any') {
    const headersFor = (origin: string | undefined, reach: CorsReach) => {
      if (reach === 'listed') return none;
      if (!takesCredentials(rules, reach)) return anyOrigin;
      // A cache must not give the response without Origin to a request with credentials.
      return origin === undefined ? anyOriginButVarying : allowWithCredentials(origin);
    };
    return { declared: undefined, applied: ['*'], listsExplicitly, headersFor };
  }
  return {
    declared: undefined,
    applied: ['http://localhost', 'http://127.0.0.1'],
    listsExplicitly,
    headersFor: (origin) => (origin !== undefined && loopbackOrigin.test(origin) ? allow(origin) : vary),
  };
}

/** Fetch Standard: a response to a request with credentials names the origin, and never `*`. */
function takesCredentials({ allowCredentialsOfEveryOrigin }: CorsRules, reach: CorsReach): boolean {
  return allowCredentialsOfEveryOrigin && reach === 'every_with_credentials';
}

function allowWithCredentials(origin: string): Record<string, string> {
  return { ...allow(origin), 'Access-Control-Allow-Credentials': 'true' };
}

function allow(origin: string): Record<string, string> {
  return { 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': exposed, Vary: 'Origin' };
}

/** The headers of a preflight response in addition to the origin headers (HDR-10). */
export function preflightHeaders(allowedMethods: string, requestedHeaders: string | undefined): Record<string, string> {
  return {
    'Access-Control-Allow-Methods': allowedMethods,
    'Access-Control-Allow-Headers': requestedHeaders ?? 'Authorization, Content-Type, X-Management-Secret',
    'Access-Control-Max-Age': '600',
  };
}
