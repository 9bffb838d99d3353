// A body above 1 MiB is refused before anybody looks at it (HDR-17), unless the route says its refusal itself. Like a 405
// and a 429 this is no answer that the endpoint builds, so `no-store` is not said here (HDR-01, HDR-02).
import { httpRefusals } from '#shared/refusals/families/http.ts';
import { refusalReply } from '../refusal-reply.ts';
import { type Reply, withHeaders } from '../reply.ts';
import type { Route } from '../route.ts';
import type { Exchange, FrontendParts } from './exchange.ts';
import type { ReadBody } from './incoming-request.ts';
import { pageForBrowser } from './page-for-browser.ts';

export function refuseOversized(
  body: ReadBody,
  route: Route,
  exchange: Exchange,
  parts: FrontendParts,
): Reply | undefined {
  if (!body.oversized || route.seesOversizedBody === true) return undefined;
  const refusal = refusalReply(httpRefusals.payload_too_large);
  const reply = pageForBrowser(refusal, route, exchange, parts, {
    title: 'Too large',
    sentence: 'What was sent is larger than 1 MiB, so nothing was done with it. Go back and send less.',
  });
  return withHeaders(reply, { Connection: 'close' });
}
