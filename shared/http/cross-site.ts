// Whether a browser says that a write comes from another site (D17, WEB-22, WEB-23, HDR-12, HDR-13). Programs send
// neither header and pass.
import type { ParsedRequest, RequestContext } from './request.ts';
import { PageError } from './route.ts';

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

/** Whether a browser says that a page of another site loads this inside itself: as an image, in a frame, by a script. */
export function isEmbedded({ headers }: Pick<ParsedRequest, 'headers'>): boolean {
  const destination = headers['sec-fetch-dest'];
  return headers['sec-fetch-site'] === 'cross-site' && destination !== undefined && destination !== 'document';
}

/** What a page's write would have done, and what to do instead of sending it from elsewhere. */
const consequences = {
  change: 'This request was sent by a page of another site, so nothing was changed. Open the page here and try again.',
  logout: 'This answer was sent by a page of another site, so nobody was logged out. Log out again where you began.',
  login: 'This login was sent by a page of another site, so nobody was logged in. Open the login here and try again.',
  login_for_application:
    'This login was sent by a page of another site, so nobody was logged in. Go to the application and log in from there.',
} as const;

/** @throws PageError 403 for a write that a browser says comes from another site. */
export function refuseCrossSite(
  request: Parameters<typeof isCrossSiteWrite>[0],
  context: Parameters<typeof isCrossSiteWrite>[1],
  about: keyof typeof consequences,
): void {
  if (!isCrossSiteWrite(request, context)) return;
  throw new PageError(403, 'Refused: it came from another site', consequences[about]);
}
