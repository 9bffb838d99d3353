// Which redirect URIs may receive codes, and how a sent URI is compared with the registered ones (AUT-12 to AUT-15,
// RFC 8252 §7). Parsed by the URL Standard (D37), but a host that only its parser's repair would find is rejected.
// Pure: the caller decides about profiles and error codes.
import type { ClientEntry } from '#shared/model/configuration/client-entry.ts';
import { asciiUri, percentEncoded } from '#shared/protocol/oauth2/ascii-uri.ts';
import { namesHost } from '#shared/protocol/oauth2/unrepaired-uri.ts';

const scheme = /^([a-zA-Z][a-zA-Z0-9+.-]*):(.*)$/s;
/** Characters that end a header line or that the URL parser would silently drop, and spaces at the ends. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the rejected characters
const stripped = /[\u0000-\u001f\u007f]|^ | $/;

const loneSurrogate = /\p{Surrogate}/u;

/**
 * The problem of a redirect URI, as the end of a sentence that begins with its name (`must be …`), or undefined for an
 * acceptable one. Used for requests, registrations and metadata documents.
 */
export function acceptableRedirectUri(uri: string): string | undefined {
  if (stripped.test(uri) || loneSurrogate.test(uri))
    return 'must not contain control characters, leading or trailing spaces';
  const parts = scheme.exec(uri);
  if (parts === null) return 'must be an absolute URI';
  if (uri.includes('#')) return 'must not have a fragment';
  const name = (parts[1] ?? '').toLowerCase();
  const rest = parts[2] ?? '';
  if (name === 'http' || name === 'https') {
    // `https:host` and `https:\\host` parse, but a browser resolves them relative to its current page.
    if (!namesHost(uri) || uri.includes('\\')) return 'must be an absolute URI with // and a host';
  } else if (!name.includes('.')) {
    return 'must have the scheme http, https or a private-use scheme that contains a period';
  }
  if (rest === '' || rest === '//' || rest.startsWith('?')) return 'must have a host or a path';
  return URL.canParse(uri) ? undefined : 'must be a valid URI';
}

/**
 * The problems of a client entry's addresses, as sentences that follow their position: the server never redirects there
 * (AUT-12, AUT-13, OUT-09). They do not invalidate the entry, which may have been like this for years.
 */
export function* unusableAddresses(
  entry: Pick<ClientEntry, 'redirect_uris' | 'post_logout_redirect_uris'>,
): Generator<{ readonly field: string; readonly index: number; readonly message: string }> {
  for (const [field, refusal] of [
    ['redirect_uris', '/authorize rejects it'],
    ['post_logout_redirect_uris', '/logout does not redirect to it'],
  ] as const) {
    for (const [index, uri] of entry[field].entries()) {
      const problem = acceptableRedirectUri(uri);
      if (problem !== undefined) yield { field, index, message: `${problem}. ${refusal}` };
    }
  }
}

const loopback = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::\d{0,5})?((?:[/?].*)?)$/s;

/** Exact comparison, except that a registered loopback address matches with any port (RFC 8252 §7.3). */
export function matchesRegisteredRedirectUri(uri: string, registered: string): boolean {
  if (uri === registered) return true;
  const sent = loopback.exec(uri);
  const known = loopback.exec(registered);
  return sent !== null && known !== null && sent[1] === known[1] && sent[2] === known[2];
}

/**
 * Appends parameters to the address, which otherwise stays byte for byte unchanged (AUT-11). Characters that are not
 * allowed in a header are percent-encoded, so that the result is ASCII.
 */
export function appendToRedirectUri(
  uri: string,
  parameters: readonly (readonly [string, string])[],
  part: 'query' | 'fragment' = 'query',
): string {
  const start = asciiUri(uri);
  const query = parameters.map(([name, value]) => `${percentEncoded(name)}=${percentEncoded(value)}`).join('&');
  if (query === '') return start;
  // A redirect URI itself has no fragment.
  if (part === 'fragment') return `${start}#${query}`;
  const mark = start.indexOf('?');
  if (mark < 0) return `${start}?${query}`;
  // Only the first question mark begins the query. A later one is part of it.
  return mark === start.length - 1 || start.endsWith('&') ? `${start}${query}` : `${start}&${query}`;
}
