// What the pipeline refuses before an endpoint is asked, in the form its reader understands.
import type { IncomingMessage } from 'node:http';
import { sandboxNamePattern } from '#shared/domain/sandbox.ts';
import { json, type Reply, withHeaders } from '../reply.ts';
import type { Route } from '../route.ts';
import type { Exchange, FrontendParts } from './exchange.ts';
import type { RouteTable } from './find-route.ts';

/** A browser that runs into a refusal on its way through pages gets it as a page, and a program as JSON. */
export function pageForBrowser(
  refusal: Reply,
  route: Pick<Route, 'surface'>,
  { message, namespace }: Exchange,
  { renderErrorPage }: Pick<FrontendParts, 'renderErrorPage'>,
  { title, sentence }: { readonly title: string; readonly sentence: string },
): Reply {
  if (route.surface !== 'page' || !acceptsHtml(message) || acceptsJson(message)) return refusal;
  const { 'Content-Type': _, ...headers } = refusal.headers;
  return withHeaders(renderErrorPage(refusal.status, title, sentence, namespace.path), headers);
}

/** A path that names nothing: JSON, or a page for a browser outside API and protocol paths (HDR-19). */
export function notFound(
  routes: Pick<RouteTable, 'surfaceAround'>,
  { message, namespace, path }: Exchange,
  { renderErrorPage }: Pick<FrontendParts, 'renderErrorPage'>,
): Reply {
  const wantsPage = acceptsHtml(message) && routes.surfaceAround(path) === 'page';
  return wantsPage
    ? renderErrorPage(404, 'Page not found', 'There is nothing at this address.', namespace.path)
    : json(404, { error: 'not_found' });
}

/**
 * Whatever lies in a sandbox that does not live, by any method (SBX-22): JSON, or a page for a browser outside API and
 * protocol paths. A name that cannot be one is not repeated.
 */
export function unknownSandbox(
  name: string,
  { message, namespace, path }: Exchange,
  { renderErrorPage, tables }: Pick<FrontendParts, 'renderErrorPage' | 'tables'>,
): Reply {
  const which = sandboxNamePattern.test(name) ? `the name ${name}` : 'this name';
  const sentence = `There is no sandbox of ${which}. Sandboxes expire: make it again with POST /api/sandboxes.`;
  const wantsPage = acceptsHtml(message) && !acceptsJson(message) && tables.home.surfaceAround(path) === 'page';
  return wantsPage
    ? renderErrorPage(404, 'No such sandbox', sentence, namespace.path)
    : json(404, { error: 'unknown_sandbox', error_description: sentence });
}

export function acceptsJson({ headers }: IncomingMessage): boolean {
  return headers.accept?.includes('json') === true;
}

function acceptsHtml({ headers }: IncomingMessage): boolean {
  return headers.accept?.includes('text/html') === true;
}
