// What the pipeline refuses before an endpoint is asked, in the form its reader understands.
import type { IncomingMessage } from 'node:http';
import { refusalReply } from '#shared/engine/exchange/refusal-reply.ts';
import { json, type Reply, tellingRefusal, withHeaders } from '#shared/engine/exchange/reply.ts';
import { sandboxNamePattern } from '#shared/model/domain/sandbox.ts';
import { httpRefusals } from '#shared/model/refusals/families/http.ts';
import { answerPreflightOfUnknownPath } from './answer-options.ts';
import type { Exchange, RoutedExchange } from './exchange.ts';
import { pathsOf } from './known-paths.ts';

const { path_unknown, sandbox_unknown } = httpRefusals;

/** A browser that runs into a refusal on its way through pages gets it as a page, and a program as JSON. */
export function pageForBrowser(
  refusal: Reply,
  { route, message, namespace, frontend }: RoutedExchange,
  { title, sentence }: { readonly title: string; readonly sentence: string },
): Reply {
  if (route.surface !== 'page' || !acceptsHtml(message) || acceptsJson(message)) return refusal;
  const { 'Content-Type': _, ...headers } = refusal.headers;
  const page = withHeaders(frontend.renderErrorPage(refusal.status, title, sentence, namespace.path), headers);
  return refusal.refusal === undefined ? page : tellingRefusal(page, { code: refusal.refusal });
}

/** A path that names nothing: JSON, or a page for a browser outside API and protocol paths (HDR-19). */
export function notFound({ message, namespace, path, frontend }: Exchange): Reply {
  const wantsPage = acceptsHtml(message) && pathsOf(namespace, frontend).surfaceAround(path) === 'page';
  return wantsPage
    ? frontend.renderErrorPage(path_unknown.status, 'Page not found', path_unknown.answer, namespace.path)
    : json(path_unknown.status, { error: path_unknown.error });
}

/**
 * Whatever lies in a sandbox that does not live, by any method (SBX-22): JSON, or a page for a browser outside API and
 * protocol paths. A name that cannot be one is not repeated.
 */
export function unknownSandbox(name: string, { message, namespace, path, frontend }: Exchange): Reply {
  const { paths, renderErrorPage } = frontend;
  const which = sandboxNamePattern.test(name) ? `the name ${name}` : 'this name';
  const wantsPage = acceptsHtml(message) && !acceptsJson(message) && paths.home.surfaceAround(path) === 'page';
  return wantsPage
    ? renderErrorPage(sandbox_unknown.status, 'No such sandbox', sandbox_unknown.answer({ which }), namespace.path)
    : refusalReply(sandbox_unknown, { which });
}

/** Behind all routes: nothing is there, or the sandbox is not. */
export function unknownPath(exchange: Exchange): Reply {
  const preflight = answerPreflightOfUnknownPath(exchange);
  if (preflight !== undefined) {
    exchange.tellsClock = false;
    return preflight;
  }
  const { unknownSandbox: name } = exchange;
  return name === undefined ? notFound(exchange) : unknownSandbox(name, exchange);
}

/** Before a route is asked, whose path lies in a sandbox that does not exist. */
export function refuseUnknownSandbox(exchange: Exchange): Reply | undefined {
  return exchange.unknownSandbox === undefined ? undefined : unknownPath(exchange);
}

export function acceptsJson({ headers }: IncomingMessage): boolean {
  return headers.accept?.includes('json') === true;
}

function acceptsHtml({ headers }: IncomingMessage): boolean {
  return headers.accept?.includes('text/html') === true;
}
