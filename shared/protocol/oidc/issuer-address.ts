// An issuer as an address. A trailing slash is part of its name, but of no address below it (OIDC Discovery §4.1, RFC
// 8414 §3.1).

/** The issuer without its trailing slash: addresses of endpoints begin with it. */
export function baseAddress(issuer: string): string {
  return issuer.endsWith('/') ? issuer.slice(0, -1) : issuer;
}

/** The path of the issuer as written: empty, or for example `/realms/orders` or `/`. */
export function issuerPath(issuer: string): string {
  const start = issuer.indexOf('/', issuer.indexOf('://') + 3);
  return start < 0 ? '' : issuer.slice(start);
}

/** The path below which everything is served: the path of the issuer without a trailing slash. Usually empty. */
export function basePathOf(issuer: string): string {
  return baseAddress(issuerPath(issuer));
}

/** The issuer of a namespace below another: it ends with a slash exactly when the other does (ADR-08). */
export function issuerBelow(issuer: string, prefix: string): string {
  return baseAddress(issuer) + prefix + (issuer.endsWith('/') ? '/' : '');
}

/** The other spelling of an issuer: with a slash appended, or without the slash that it has. */
export function withOtherSlash(issuer: string): string {
  return issuer.endsWith('/') ? baseAddress(issuer) : `${issuer}/`;
}

const insertedBefore = /^(\/\.well-known\/(?:openid-configuration|oauth-authorization-server))(\/.*)$/;

/**
 * The path as routes name it, of a path that begins with the base path or has it inserted after a discovery path
 * (ADR-04, ADR-06). undefined: the path is not below the base path.
 */
export function pathBelowBase(basePath: string, path: string): string | undefined {
  if (basePath === '') return path;
  if (path === basePath) return '/';
  if (path.startsWith(basePath) && path[basePath.length] === '/') return path.slice(basePath.length);
  const [, document, rest] = insertedBefore.exec(path) ?? [];
  if (document === undefined || rest === undefined) return undefined;
  if (rest === basePath) return document;
  return rest.startsWith(`${basePath}/`) ? document + rest.slice(basePath.length) : undefined;
}
