// CORS: what OPTIONS is answered, preflights included (HDR-10). The headers of every other answer are those
// that the exchange carries from its start.
import { preflightHeaders } from '../cors.ts';
import { empty, type Reply } from '../reply.ts';
import type { Route } from '../route.ts';
import { allowedMethods } from './choose-endpoint.ts';
import type { Exchange } from './exchange.ts';

export function answerOptions(route: Route, { message, furtherHeaders }: Exchange): Reply {
  const allow = allowedMethods(route);
  const isPreflight = message.headers['access-control-request-method'] !== undefined;
  const mayAsk = furtherHeaders['Access-Control-Allow-Origin'] !== undefined;
  const preflight =
    isPreflight && mayAsk ? preflightHeaders(allow, message.headers['access-control-request-headers']) : {};
  return empty(204, { Allow: allow, ...preflight });
}
