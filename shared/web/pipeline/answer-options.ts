// CORS: what OPTIONS is answered, preflights included (HDR-10). The headers of every other answer are those
// that the exchange carries from its start.
import { preflightHeaders } from '#shared/engine/exchange/cors.ts';
import { empty, type Reply } from '#shared/engine/exchange/reply.ts';
import type { Exchange, RoutedExchange } from './exchange.ts';
import { allowedMethods } from './methods.ts';

export function answerOptions(exchange: RoutedExchange): Reply {
  const allow = allowedMethods(exchange.route);
  return empty(204, { Allow: allow, ...preflightOf(exchange, allow) });
}

/** Browsers show no status of a rejected preflight, so that the 404 comes to the request itself (HDR-19). */
export function answerPreflightOfUnknownPath(exchange: Exchange): Reply | undefined {
  const { method, headers } = exchange.message;
  const wanted = headers['access-control-request-method'];
  if (method !== 'OPTIONS' || wanted === undefined || !isToken(wanted)) return undefined;
  const preflight = preflightOf(exchange, wanted);
  return preflight && empty(204, preflight);
}

/** undefined: no preflight, or of an origin that may not read the answer. */
function preflightOf({ message, furtherHeaders }: Exchange, methods: string): Record<string, string> | undefined {
  const isPreflight = message.headers['access-control-request-method'] !== undefined;
  const mayAsk = furtherHeaders['Access-Control-Allow-Origin'] !== undefined;
  return isPreflight && mayAsk
    ? preflightHeaders(methods, message.headers['access-control-request-headers'])
    : undefined;
}

/** A method as RFC 9110 §9.1 writes one. */
function isToken(text: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,40}$/.test(text);
}
