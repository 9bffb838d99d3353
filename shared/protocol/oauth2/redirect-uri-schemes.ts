// Which schemes a redirect URI may have (RDU-02, RDU-03, RFC 8252 §7.1). Pure.

/** Schemes that run code, read local files or are no address of an application. No profile redirects to them. */
const forbiddenSchemes: ReadonlySet<string> = new Set([
  ...['javascript', 'data', 'file', 'vbscript', 'blob', 'about', 'filesystem', 'view-source'],
  ...['ws', 'wss', 'ftp'],
]);

export interface SchemeRules {
  /** A private-use scheme needs no period. */
  readonly lenientRedirectUris: boolean;
}

const scheme = /^([a-zA-Z][a-zA-Z0-9+.-]*):/;

/** In lower case. undefined: the text has no scheme. */
export function schemeOf(uri: string): string | undefined {
  return scheme.exec(uri)?.[1]?.toLowerCase();
}

/** The scheme of the URI in lower case, if no redirect URI may have it. */
export function forbiddenSchemeOf(uri: string): string | undefined {
  const name = schemeOf(uri);
  return name !== undefined && forbiddenSchemes.has(name) ? name : undefined;
}

/** Whether it is a private-use scheme that is not a reversed domain name, although RFC 8252 §7.1 requires one. */
export function isSchemeWithoutPeriod(uri: string): boolean {
  const name = schemeOf(uri);
  return name !== undefined && !isWebScheme(name) && !name.includes('.');
}

export function isWebScheme(name: string): boolean {
  return name === 'http' || name === 'https';
}

/** The problem of a scheme in lower case, as the end of a sentence. undefined: a redirect URI may have it. */
export function problemOfScheme(name: string, { lenientRedirectUris }: SchemeRules): string | undefined {
  if (isWebScheme(name)) return undefined;
  if (forbiddenSchemes.has(name)) return `must not have the scheme ${name}`;
  // `localhost:3000/cb` parses as a scheme, but it is an address without http.
  if (name === 'localhost') return 'must begin with http:// or https://';
  if (lenientRedirectUris || name.includes('.')) return undefined;
  return 'must have the scheme http, https or a private-use scheme that contains a period';
}
