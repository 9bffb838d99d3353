// Whose scripts may read the response (HDR-10). These headers stand at every response, whatever it is.
import type { Exchange } from './exchange.ts';

/** What responses say once the worker drains. */
export const closing = { Connection: 'close' };

const none = {};

export function crossOriginHeaders(exchange: Exchange): undefined {
  const { message, route, frontend } = exchange;
  // That nothing is there may be read from everywhere: a mistyped address must not look like a problem with CORS.
  const origins = route === undefined ? 'every' : route.origins;
  const headers =
    origins === 'none' ? none : frontend.rules.cors.headersFor(message.headers.origin, origins === 'every');
  exchange.furtherHeaders = frontend.wire.isEnding() ? { ...headers, ...closing } : headers;
}
