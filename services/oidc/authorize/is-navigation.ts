import type { ParsedRequest } from '#shared/engine/exchange/request.ts';

/**
 * Whether the response is shown to a person. Test clients copy a browser's Accept header and read the JSON that the
 * clauses promise. But they omit the headers that browsers add to a navigation. Over plain HTTP and on any host that is
 * `Upgrade-Insecure-Requests`, which WebKit does not send over TLS. Over TLS or on this machine it is `Sec-Fetch-Mode`
 * (Fetch Metadata §2.1).
 */
export function isNavigation({ headers }: ParsedRequest): boolean {
  const isOfBrowser = headers['upgrade-insecure-requests'] === '1' || headers['sec-fetch-mode'] === 'navigate';
  return isOfBrowser && (headers.accept ?? '').includes('text/html');
}
