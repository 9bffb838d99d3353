// /client-logos/<client_id>: a client's logo from oauth.logos_dir (CFG-K21). The file is found by comparing names of
// the directory with the client_id, never by building a path from it. So no client_id reaches another file.
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { ParsedRequest, ProtocolContext } from '#shared/engine/exchange/request.ts';
import { pageError, type Route } from '#shared/engine/exchange/route.ts';
import type { Client } from '#shared/model/configuration/client-entry.ts';
import { pageRefusals } from '#shared/model/refusals/families/pages.ts';

const mediaTypes: ReadonlyMap<string, string> = new Map([
  ['.svg', 'image/svg+xml'],
  ['.png', 'image/png'],
  ['.jpg', 'image/jpeg'],
  ['.jpeg', 'image/jpeg'],
  ['.webp', 'image/webp'],
  ['.gif', 'image/gif'],
]);

export const clientLogoRoutes: readonly Route[] = [
  {
    path: '/client-logos/:client_id',
    audience: 'navigation',
    methods: { GET: serveClientLogo },
    inSandbox: false,
  },
];

/**
 * The logo's address for an <img>: that of a file here, or else the client's own logo_uri. undefined when neither
 * exists.
 */
export async function clientLogoAddress(
  { client_id, logo_uri }: Pick<Client, 'client_id' | 'logo_uri'>,
  { snapshot, path }: Pick<ProtocolContext, 'snapshot' | 'path'>,
): Promise<string | undefined> {
  const file = await findClientLogo(client_id, snapshot.paths.logosDirectory);
  return file === undefined ? logo_uri : path(`/client-logos/${encodeURIComponent(client_id)}`);
}

async function serveClientLogo(request: ParsedRequest, context: ProtocolContext) {
  const directory = context.snapshot.paths.logosDirectory;
  const clientId = request.pathParameters.client_id ?? '';
  const file = await findClientLogo(clientId, directory);
  if (file === undefined || directory === undefined) throw pageError(pageRefusals.client_logo_unknown);
  return {
    status: 200,
    headers: {
      'Content-Type': mediaTypes.get(extname(file).toLowerCase()) ?? 'application/octet-stream',
      'Cache-Control': 'no-cache',
      // An SVG that is opened directly must not run its scripts.
      'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      'X-Content-Type-Options': 'nosniff',
    },
    body: await readFile(join(directory, file)),
  };
}

async function findClientLogo(clientId: string, directory: string | undefined): Promise<string | undefined> {
  if (directory === undefined || clientId === '') return undefined;
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  return entries.find((entry) => {
    if (!entry.isFile()) return false;
    const extension = extname(entry.name);
    return mediaTypes.has(extension.toLowerCase()) && entry.name.slice(0, -extension.length) === clientId;
  })?.name;
}
