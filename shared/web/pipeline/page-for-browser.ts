// What the pipeline refuses before an endpoint is asked, in the form its reader understands.
import type { IncomingMessage } from 'node:http';
import { refusalReply } from '#shared/engine/exchange/refusal-reply.ts';
import { json, type Reply, tellingRefusal, withHeaders } from '#shared/engine/exchange/reply.ts';
import type { Route } from '#shared/engine/exchange/route.ts';
import { sandboxNamePattern } from '#shared/model/domain/sandbox.ts';
import { httpRefusals } from '#shared/model/refusals/families/http.ts';
import type { Exchange, FrontendParts } from './exchange.ts';
import type { RouteTable } from './find-route.ts';

const { path_unknown, sandbox_unknown } = httpRefusals;

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
  const page = withHeaders(renderErrorPage(refusal.status, title, sentence, namespace.path), headers);
  return refusal.refusal === undefined ? page : tellingRefusal(page, { code: refusal.refusal });
}

/** A path that names nothing: JSON, or a page for a browser outside API and protocol paths (HDR-19). */
export function notFound(
  routes: Pick<RouteTable, 'surfaceAround'>,
  { message, namespace, path }: Exchange,
  { renderErrorPage }: Pick<FrontendParts, 'renderErrorPage'>,
): Reply {
  const wantsPage = acceptsHtml(message) && routes.surfaceAround(path) === 'page';
  return wantsPage
    ? renderErrorPage(path_unknown.status, 'Page not found', path_unknown.answer, namespace.path)
    : json(path_unknown.status, { error: path_unknown.error });
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
  const wantsPage = acceptsHtml(message) && !acceptsJson(message) && tables.home.surfaceAround(path) === 'page';
  return wantsPage
    ? renderErrorPage(sandbox_unknown.status, 'No such sandbox', sandbox_unknown.answer({ which }), namespace.path)
    : refusalReply(sandbox_unknown, { which });
}

export function acceptsJson({ headers }: IncomingMessage): boolean {
  return headers.accept?.includes('json') === true;
}

function acceptsHtml({ headers }: IncomingMessage): boolean {
  return headers.accept?.includes('text/html') === true;
}
