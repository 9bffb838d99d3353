import type { ParsedRequest } from '#shared/http/request.ts';

/**
 * Whether a person is in front of it. Test clients copy a browser's Accept and read the JSON that the clauses promise; what
 * every browser adds to a navigation, over plain HTTP and on any host, they leave out.
 */
export function isNavigation({ headers }: ParsedRequest): boolean {
  return (headers.accept ?? '').includes('text/html') && headers['upgrade-insecure-requests'] === '1';
}
