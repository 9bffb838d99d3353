// /static/*: style sheet, icon and scripts as bytes that are built once, with an ETag. Needs neither configuration nor
// store.
import type { Reply } from '#shared/engine/exchange/reply.ts';
import type { ParsedRequest } from '#shared/engine/exchange/request.ts';
import type { Route } from '#shared/engine/exchange/route.ts';
import { type Asset, assets } from './assets.ts';
import { clientThemeRoutes } from './client-theme.ts';

export const staticRoutes: readonly Route[] = [
  ...[...assets].map(
    ([name, asset]): Route => ({
      path: `/static/${name}`,
      audience: 'asset',
      methods: { GET: async (request) => serveAsset(request, asset) },
    }),
  ),
  ...clientThemeRoutes,
];

function serveAsset(request: ParsedRequest, asset: Asset): Reply {
  const etag = `"${asset.digest}"`;
  const headers = {
    ETag: etag,
    // The content at an address with the current digest never changes. Any other address must be revalidated.
    'Cache-Control':
      request.query.first('v') === asset.digest ? 'public, max-age=31536000, immutable' : 'public, no-cache',
    'Content-Type': asset.mediaType,
    'X-Content-Type-Options': 'nosniff',
  };
  const known = (request.headers['if-none-match'] ?? '')
    .split(',')
    .some((tag) => tag.trim().replace(/^W\//, '') === etag);
  return known ? { status: 304, headers, body: '' } : { status: 200, headers, body: asset.bytes };
}
