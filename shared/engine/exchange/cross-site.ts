// Whether the browser's headers show that a write comes from another site (D17, WEB-22, WEB-23, HDR-12, HDR-13).
// Programs send neither header and pass.
import { type CrossSiteWrite, pageRefusals } from '#shared/model/refusals/families/pages.ts';
import type { ParsedRequest, ProtocolContext } from './request.ts';
import { pageError } from './route.ts';

export function isCrossSiteWrite(
  request: Pick<ParsedRequest, 'headers'>,
  context: Pick<ProtocolContext, 'cors' | 'requestOrigin'>,
): boolean {
  const origin = request.headers.origin;
  if (origin !== undefined && context.cors.listsExplicitly(origin)) return false;
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  if (origin === undefined) return false;
  return origin.toLowerCase() !== context.requestOrigin.toLowerCase();
}

/** Whether the browser's headers show that a page of another site embeds this: as an image, in a frame, by a script. */
export function isEmbedded({ headers }: Pick<ParsedRequest, 'headers'>): boolean {
  const destination = headers['sec-fetch-dest'];
  return headers['sec-fetch-site'] === 'cross-site' && destination !== undefined && destination !== 'document';
}

/** @throws PageError 403 for a write whose headers show that it comes from another site. */
export function refuseCrossSite(
  request: Parameters<typeof isCrossSiteWrite>[0],
  context: Parameters<typeof isCrossSiteWrite>[1],
  about: CrossSiteWrite,
): void {
  if (!isCrossSiteWrite(request, context)) return;
  throw pageError(pageRefusals.form_from_another_site, { about });
}
