// What is added to a redirect URI that receives a response (AUT-11). match-redirect-uri.ts compares it with the
// registered ones.
import { asciiUri, percentEncoded } from '#shared/protocol/oauth2/ascii-uri.ts';

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
