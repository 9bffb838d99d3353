// Whether a browser says that a write comes from another site (D17, WEB-22, WEB-23, HDR-12, HDR-13). Programs send
// neither header and pass.
import type { ParsedRequest, RequestContext } from './request.ts';

export function isCrossSiteWrite(
  request: Pick<ParsedRequest, 'headers'>,
  context: Pick<RequestContext, 'cors' | 'requestOrigin'>,
): boolean {
  const origin = request.headers.origin;
  if (origin !== undefined && context.cors.listsExplicitly(origin)) return false;
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  if (origin === undefined) return false;
  return origin.toLowerCase() !== context.requestOrigin.toLowerCase();
}
