// Whose scripts may read the response (HDR-10). It runs before the path is known, and again for its route.
import type { Exchange } from './exchange.ts';

/** The header of responses once the worker drains. */
export const closing = { Connection: 'close' };

const none = {};

export function crossOriginHeaders(exchange: Exchange): undefined {
  const { message, route, frontend } = exchange;
  // Every origin may read a 404: a mistyped address must not look like a CORS problem.
  const origins = route === undefined ? 'every' : route.origins;
  const headers = origins === 'none' ? none : frontend.rules.cors.headersFor(message.headers.origin, origins);
  exchange.furtherHeaders = frontend.wire.isEnding() ? { ...headers, ...closing } : headers;
}
