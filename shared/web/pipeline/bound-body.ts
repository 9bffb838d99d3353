// A body above 1 MiB, or in thousands of small pieces, is refused before anybody looks at it (HDR-17), unless the route says
// its refusal itself. Like a 405 and a 429 this is no answer that the endpoint builds, so `no-store` is not said here
// (HDR-01, HDR-02).
import type { BodyRefusal, BoundedBody } from '#shared/base/bounded-body.ts';
import { refusalReply } from '#shared/engine/exchange/refusal-reply.ts';
import { type Reply, withHeaders } from '#shared/engine/exchange/reply.ts';
import type { Route } from '#shared/engine/exchange/route.ts';
import { httpRefusals } from '#shared/model/refusals/families/http.ts';
import type { Exchange, FrontendParts } from './exchange.ts';
import { pageForBrowser } from './page-for-browser.ts';

const rows = { too_large: httpRefusals.payload_too_large, in_small_pieces: httpRefusals.payload_in_small_pieces };

const words = {
  too_large: {
    title: 'Too large',
    sentence: 'What was sent is larger than 1 MiB, so nothing was done with it. Go back and send less.',
  },
  in_small_pieces: { title: 'Too many pieces', sentence: httpRefusals.payload_in_small_pieces.answer },
};

/** For programs. The rest of the body is not read, so the connection cannot be used again. */
export function bodyRefused(refusal: BodyRefusal): Reply {
  return withHeaders(refusalReply(rows[refusal]), { Connection: 'close' });
}

export function refuseBody(
  { refusal }: BoundedBody,
  route: Route,
  exchange: Exchange,
  parts: FrontendParts,
): Reply | undefined {
  if (refusal === undefined || route.seesRefusedBody === true) return undefined;
  return pageForBrowser(bodyRefused(refusal), route, exchange, parts, words[refusal]);
}
