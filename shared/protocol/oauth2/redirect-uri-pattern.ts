// Patterns of redirect URIs: `*` stands for one or more characters of one host label or one path segment (RDU-04). Pure.
import { acceptableRedirectUri } from './acceptable-redirect-uri.ts';
import { partsOfUri, type UriPart, type UriParts, uriParts } from './redirect-uri-parts.ts';

/** The problem of a pattern, as the end of a sentence that begins with its name. undefined: it can match. */
export function problemOfRedirectUriPattern(pattern: string): string | undefined {
  const { scheme, host, port, path, query } = partsOfUri(pattern);
  if (host.includes('@')) return 'must not contain user information';
  if (`${scheme}${port}${query}`.includes('*') || /:[^\]]*\*/.test(host)) {
    return 'must have * only in a host label or a path segment, not in scheme, port or query';
  }
  const labels = host.slice('//'.length).split('.');
  if (labels.length > 1 && labels.includes('')) return 'must not have an empty host label';
  if (labels.at(-1)?.includes('*')) return 'must not have * in the last host label';
  if ([...labels, ...path.split('/')].some(hasTwo)) return 'must have at most one * in a host label or path segment';
  return acceptableRedirectUri(pattern.replaceAll('*', 'a'), { lenientRedirectUris: true });
}

/** The parts of a URI that a pattern does not allow. Empty: it matches. */
export function partsOutsidePattern(uri: UriParts, pattern: string): readonly UriPart[] {
  const expected = partsOfUri(pattern);
  return uriParts.filter((part) => !matches(uri[part], expected[part], part));
}

export function matchesPattern(uri: string, pattern: string): boolean {
  return partsOutsidePattern(partsOfUri(uri), pattern).length === 0;
}

function hasTwo(text: string): boolean {
  return text.indexOf('*') !== text.lastIndexOf('*');
}

/** No character that a URL parser maps to a period, so only ASCII. */
const ofLabel = '[A-Za-z0-9_-]+';
/** Neither a period, a slash nor their encoded forms, which a parser or a server may decode. */
const ofSegment = "(?:[A-Za-z0-9_~!$&'()*+,;=:@-]|[^\\x00-\\x7f]|%(?!2[eEfF]|5[cC])[0-9a-fA-F]{2})+";

function matches(text: string, pattern: string, part: UriPart): boolean {
  if (!pattern.includes('*')) return text === pattern;
  if (part !== 'host' && part !== 'path') return false;
  const literals = pattern.split('*').map((literal) => literal.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'));
  return new RegExp(`^${literals.join(part === 'host' ? ofLabel : ofSegment)}$`, 's').test(text);
}
