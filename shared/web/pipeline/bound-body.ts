// A body above 1 MiB, or in thousands of small pieces, is rejected unread (HDR-17), unless the route responds on its
// own. Like a 405 and a 429 this is not a response of the endpoint, so it carries no `no-store` (HDR-01, HDR-02).
import type { BodyRefusal } from '#shared/base/bounded-body.ts';
import { requestBytesMax } from '#shared/base/small-pieces.ts';
import { refuseCoded } from '#shared/engine/exchange/content-coding.ts';
import { refusalReply } from '#shared/engine/exchange/refusal-reply.ts';
import { type Reply, withHeaders } from '#shared/engine/exchange/reply.ts';
import { httpRefusals } from '#shared/model/refusals/families/http.ts';
import { bytesText } from '#shared/model/refusals/quantities.ts';
import type { RoutedExchange } from './exchange.ts';
import { hasBody, readBody } from './incoming-request.ts';
import { pageForBrowser } from './page-for-browser.ts';

const rows = { too_large: httpRefusals.payload_too_large, in_small_pieces: httpRefusals.payload_in_small_pieces };

const words = {
  too_large: {
    title: 'Too large',
    sentence: `The request is larger than ${bytesText(requestBytesMax)}, so it was rejected. Go back and send less.`,
  },
  in_small_pieces: { title: 'Too many pieces', sentence: httpRefusals.payload_in_small_pieces.answer },
};

/** The response for programs. The rest of the body is not read, so the connection cannot be reused. */
export function bodyRefused(refusal: BodyRefusal): Reply {
  return withHeaders(refusalReply(rows[refusal]), { Connection: 'close' });
}

/** Reads the body. Rejects a body that is too large or has a content coding. @throws ClientGoneError */
export function boundBody(exchange: RoutedExchange): Reply | undefined | Promise<Reply | undefined> {
  return hasBody(exchange.message) ? readAndBound(exchange) : undefined;
}

async function readAndBound(exchange: RoutedExchange): Promise<Reply | undefined> {
  const { message, route } = exchange;
  const body = await readBody(message);
  exchange.body = body;
  if (route.seesRefusedBody === true) return undefined;
  return body.refusal === undefined
    ? refuseCoded(message.headers, body.length)
    : pageForBrowser(bodyRefused(body.refusal), exchange, words[body.refusal]);
}
