// CORS: the responses to OPTIONS, preflights included (HDR-10). cross-origin.ts sets the headers of every
// other response.
import { preflightHeaders } from '#shared/engine/exchange/cors.ts';
import { empty, type Reply } from '#shared/engine/exchange/reply.ts';
import type { Exchange, RoutedExchange } from './exchange.ts';
import { allowedMethods } from './methods.ts';

export function answerOptions(exchange: RoutedExchange): Reply {
  const allow = allowedMethods(exchange.route);
  return empty(204, { Allow: allow, ...preflightOf(exchange, allow) });
}

/**
 * Browsers do not show the status of a rejected preflight. So the preflight succeeds and the request itself gets the
 * 404 (HDR-19).
 */
export function answerPreflightOfUnknownPath(exchange: Exchange): Reply | undefined {
  const { method, headers } = exchange.message;
  const requestedMethod = headers['access-control-request-method'];
  if (method !== 'OPTIONS' || requestedMethod === undefined || !isToken(requestedMethod)) return undefined;
  const preflight = preflightOf(exchange, requestedMethod);
  return preflight && empty(204, preflight);
}

/** undefined: this is no preflight, or its origin must not read the response. */
function preflightOf({ message, furtherHeaders }: Exchange, methods: string): Record<string, string> | undefined {
  const isPreflight = message.headers['access-control-request-method'] !== undefined;
  const mayAsk = furtherHeaders['Access-Control-Allow-Origin'] !== undefined;
  return isPreflight && mayAsk
    ? preflightHeaders(methods, message.headers['access-control-request-headers'])
    : undefined;
}

/** Whether the text has the form of a method in RFC 9110 §9.1. */
function isToken(text: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,40}$/.test(text);
}
