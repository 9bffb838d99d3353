// From a reply to the bytes that are sent.
import { refusalReply } from '#shared/engine/exchange/refusal-reply.ts';
import type { Reply } from '#shared/engine/exchange/reply.ts';
import { httpRefusals } from '#shared/model/refusals/families/http.ts';
import { readClockHeader } from './clock-header.ts';
import { closing } from './cross-origin.ts';
import type { Exchange } from './exchange.ts';
import { sendReply } from './send-reply.ts';

/** The steps for every reply, in this order. Steps for replies of endpoints alone are in endpoint.ts. */
const afterReply: readonly ((reply: Reply, exchange: Exchange) => Reply | Promise<Reply>)[] = [
  readClockHeader,
  recorded,
];

/** Returns a promise only when a step has to wait, which is rare. */
export function answer(reply: Reply, exchange: Exchange): void | Promise<void> {
  let made = reply;
  for (const [index, step] of afterReply.entries()) {
    const next = step(made, exchange);
    if (next instanceof Promise) return goOnWith(next, index + 1, exchange);
    made = next;
  }
  send(made, exchange);
}

async function goOnWith(reply: Promise<Reply>, index: number, exchange: Exchange): Promise<void> {
  let made = await reply;
  for (const step of afterReply.slice(index)) made = await step(made, exchange);
  send(made, exchange);
}

/** Records the exchange in the form in which it is sent, before it is sent (REC-15). */
function recorded(reply: Reply, { recording }: Exchange): Reply | Promise<Reply> {
  return recording?.end(reply)?.then(() => reply) ?? reply;
}

/** Every reply of a front end is sent here. */
function send(reply: Reply, exchange: Exchange): void {
  const { message, response, requestId, namespace, frontend } = exchange;
  const { wire } = frontend;
  const options = { withoutBody: message.method === 'HEAD', wire };
  // Draining may have started after the request arrived. A client without this header would go on using the connection
  // (SUP-09).
  const furtherHeaders = wire.isEnding() ? { ...exchange.furtherHeaders, ...closing } : exchange.furtherHeaders;
  try {
    sendReply(response, reply, furtherHeaders, options)?.catch((err: unknown) => {
      const hasDisconnected = err instanceof Error && 'code' in err && err.code === 'ERR_STREAM_PREMATURE_CLOSE';
      if (!hasDisconnected) namespace.log.error({ err, requestId }, 'a response ended before it was complete');
    });
  } catch (err) {
    // A header that no response can carry is an error of this program. It must not affect other requests of the
    // process.
    namespace.log.error({ err, requestId }, 'a response could not be sent');
    sendReply(response, refusalReply(httpRefusals.server_error, { requestId }), furtherHeaders, options);
  }
}
