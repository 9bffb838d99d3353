import type { ParsedRequest } from '#shared/engine/exchange/request.ts';

/**
 * Whether a person is in front of it. Test clients copy a browser's Accept and read the JSON that the clauses promise; what
 * browsers add to a navigation they leave out: over plain HTTP and on any host `Upgrade-Insecure-Requests`, which WebKit
 * does not send over TLS, and over TLS or on this machine `Sec-Fetch-Mode` (Fetch Metadata §2.1).
 */
export function isNavigation({ headers }: ParsedRequest): boolean {
  const isOfBrowser = headers['upgrade-insecure-requests'] === '1' || headers['sec-fetch-mode'] === 'navigate';
  return isOfBrowser && (headers.accept ?? '').includes('text/html');
}
