// Cross-origin rules, fixed at process start (ACT-17). A declared list applies in every profile. Without one the
// profile decides (HDR-04 to HDR-11).
import type { ProfileRules } from '#shared/model/configuration/profile-rules.ts';

export interface CorsPolicy {
  /** The declared list, or undefined when the profile decides. */
  readonly declared: readonly string[] | undefined;
  /** `cors_applied_origins` of GET /api/config: the origins active since the start. */
  readonly applied: readonly string[];
  /**
   * Headers for every response to a request from `origin` (undefined: it sent none). `forEveryOrigin`: the profile's
   * default `*` covers the requested path; a declared `*` covers every path (D48).
   */
  headersFor(origin: string | undefined, forEveryOrigin: boolean): Readonly<Record<string, string>>;
  /** Whether the declared list contains the origin itself; `*` and the profile's default do not count (D17). */
  listsExplicitly(origin: string): boolean;
}

const exposed = 'WWW-Authenticate, DPoP-Nonce, Location, Retry-After, ETag, X-Test-Idp-Clock, X-Test-Idp-Fault';
const loopbackOrigin = /^http:\/\/(?:localhost|127\.0\.0\.1)(?::[0-9]{1,5})?$/i;
const anyOrigin = { 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': exposed } as const;
const none = {} as const;
const vary = { Vary: 'Origin' } as const;

export function corsPolicy(
  declared: readonly string[] | undefined,
  rules: Pick<ProfileRules, 'defaultCorsOrigins'>,
): CorsPolicy {
  if (declared === undefined) return profilePolicy(rules.defaultCorsOrigins);
  const listed = new Set(declared.filter((entry) => entry !== '*').map((entry) => entry.toLowerCase()));
  const any = declared.includes('*');
  const listsExplicitly = (origin: string) => listed.has(origin.toLowerCase());
  return {
    declared,
    applied: declared,
    listsExplicitly,
    headersFor(origin) {
      if (origin === undefined) return vary;
      if (listsExplicitly(origin)) return { ...allow(origin), 'Access-Control-Allow-Credentials': 'true' };
      return any ? allow(origin) : vary;
    },
  };
}

function profilePolicy(defaults: ProfileRules['defaultCorsOrigins']): CorsPolicy {
  const listsExplicitly = () => false;
  if (defaults === 'any') {
    const headersFor = (_origin: string | undefined, forEveryOrigin: boolean) => (forEveryOrigin ? anyOrigin : none);
    return { declared: undefined, applied: ['*'], listsExplicitly, headersFor };
  }
  return {
    declared: undefined,
    applied: ['http://localhost', 'http://127.0.0.1'],
    listsExplicitly,
    headersFor: (origin) => (origin !== undefined && loopbackOrigin.test(origin) ? allow(origin) : vary),
  };
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
