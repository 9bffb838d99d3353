// Rejections of the pipeline itself, before any endpoint runs, as a page or as JSON.
import type { IncomingMessage } from 'node:http';
import { refusalReply } from '#shared/engine/exchange/refusal-reply.ts';
import { json, type Reply, withHeaders, withRefusal } from '#shared/engine/exchange/reply.ts';
import { sandboxNamePattern } from '#shared/model/domain/sandbox.ts';
import { httpRefusals } from '#shared/model/refusals/families/http.ts';
import { answerPreflightOfUnknownPath } from './answer-options.ts';
import { type Exchange, ownPathOf, type RoutedExchange } from './exchange.ts';
import { pathsOf } from './known-paths.ts';

const { path_unknown, sandbox_unknown } = httpRefusals;

/** A browser that navigates to a rejection gets it as a page, and a program as JSON. */
export function pageForBrowser(
  refusal: Reply,
  exchange: RoutedExchange,
  { title, sentence }: { readonly title: string; readonly sentence: string },
): Reply {
  const { route, message, frontend } = exchange;
  if (route.surface !== 'page' || !acceptsHtml(message) || acceptsJson(message)) return refusal;
  const { 'Content-Type': _, ...headers } = refusal.headers;
  const page = withHeaders(frontend.renderErrorPage(refusal.status, title, sentence, ownPathOf(exchange)), headers);
  return refusal.refusal === undefined ? page : withRefusal(page, { code: refusal.refusal });
}

/** The response to an unknown path: JSON, or a page for a browser outside API and protocol paths (HDR-19). */
export function notFound(exchange: Exchange): Reply {
  const { message, namespace, path, frontend } = exchange;
  const wantsPage = acceptsHtml(message) && pathsOf(namespace, frontend).surfaceAround(path) === 'page';
  return wantsPage
    ? frontend.renderErrorPage(path_unknown.status, 'Page not found', path_unknown.answer, ownPathOf(exchange))
    : json(path_unknown.status, { error: path_unknown.error });
}

/**
 * The response to every path and method in a sandbox that does not exist (SBX-22): JSON, or a page for a browser
 * outside API and protocol paths. An invalid name is not repeated in the response.
 */
export function unknownSandbox(name: string, exchange: Exchange): Reply {
  const { message, path, frontend } = exchange;
  const { paths, renderErrorPage } = frontend;
  const which = sandboxNamePattern.test(name) ? `the name ${name}` : 'this name';
  const wantsPage = acceptsHtml(message) && !acceptsJson(message) && paths.home.surfaceAround(path) === 'page';
  return wantsPage
    ? renderErrorPage(
        sandbox_unknown.status,
        'This sandbox does not exist',
        sandbox_unknown.answer({ which }),
        ownPathOf(exchange),
      )
    : refusalReply(sandbox_unknown, { which });
}

/** Runs after all routes: the path or its sandbox does not exist. */
export function unknownPath(exchange: Exchange): Reply {
  const preflight = answerPreflightOfUnknownPath(exchange);
  if (preflight !== undefined) {
    exchange.tellsClock = false;
    return preflight;
  }
  const { unknownSandbox: name } = exchange;
  return name === undefined ? notFound(exchange) : unknownSandbox(name, exchange);
}

/** Runs before the route, for a path in a sandbox that does not exist. */
export function refuseUnknownSandbox(exchange: Exchange): Reply | undefined {
  return exchange.unknownSandbox === undefined ? undefined : unknownPath(exchange);
}

export function acceptsJson({ headers }: IncomingMessage): boolean {
  return headers.accept?.includes('json') === true;
}

function acceptsHtml({ headers }: IncomingMessage): boolean {
  return headers.accept?.includes('text/html') === true;
}
