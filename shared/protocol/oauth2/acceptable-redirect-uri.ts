// The form of a redirect URI that any client may use (AUT-12, AUT-13). Parsed by the URL Standard (D37), but a host that
// only its parser's repair would find is rejected. Pure: the caller decides about error codes.
import { isWebScheme, problemOfScheme, type SchemeRules, schemeOf } from './redirect-uri-schemes.ts';
import { namesHost } from './unrepaired-uri.ts';

/** Characters that end a header line or that the URL parser would silently drop, and spaces at the ends. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the rejected characters
const stripped = /[\u0000-\u001f\u007f]|^ | $/;

const loneSurrogate = /\p{Surrogate}/u;

/**
 * The problem of a redirect URI, as the end of a sentence that begins with its name (`must be …`), or undefined for an
 * acceptable one. Used for requests, registrations and metadata documents.
 */
export function acceptableRedirectUri(uri: string, rules: SchemeRules): string | undefined {
  if (stripped.test(uri) || loneSurrogate.test(uri))
    return 'must not contain control characters, leading or trailing spaces';
  const name = schemeOf(uri);
  if (name === undefined) return 'must be an absolute URI';
  if (uri.includes('#')) return 'must not have a fragment';
  const problem = problemOfScheme(name, rules);
  if (problem !== undefined) return problem;
  // `https:host` and `https:\\host` parse, but a browser resolves them relative to its current page.
  if (isWebScheme(name) && (!namesHost(uri) || uri.includes('\\'))) {
    return 'must be an absolute URI with // and a host';
  }
  const rest = uri.slice(name.length + 1);
  if (rest === '' || rest === '//' || rest.startsWith('?')) return 'must have a host or a path';
  return URL.canParse(uri) ? undefined : 'must be a valid URI';
}
