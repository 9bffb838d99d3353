// From a reply to the bytes that are sent.
import { refusalReply } from '#shared/engine/exchange/refusal-reply.ts';
import type { Reply } from '#shared/engine/exchange/reply.ts';
import { httpRefusals } from '#shared/model/refusals/families/http.ts';
import { closing } from './cross-origin.ts';
import type { Exchange } from './exchange.ts';
import { sendReply } from './send-reply.ts';
import { clockHeader } from './tell-clock.ts';

/** What is done with every reply, in this order. What only endpoints' replies get, endpoint.ts does. */
const afterReply: readonly ((reply: Reply, exchange: Exchange) => Reply | Promise<Reply>)[] = [clockHeader, recorded];

/** A promise only where a step has to wait, which is rare. */
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

/** The exchange goes to the recorder as it is sent, and before it is (REC-15). */
function recorded(reply: Reply, { recording }: Exchange): Reply | Promise<Reply> {
  return recording?.end(reply)?.then(() => reply) ?? reply;
}

/** The only place of a frontend that writes. */
function send(reply: Reply, exchange: Exchange): void {
  const { message, response, requestId, namespace, frontend } = exchange;
  const { wire } = frontend;
  const options = { withoutBody: message.method === 'HEAD', wire };
  // The end may have begun since the request did, and a client that is not told goes on using the connection (SUP-09).
  const furtherHeaders = wire.isEnding() ? { ...exchange.furtherHeaders, ...closing } : exchange.furtherHeaders;
  try {
    sendReply(response, reply, furtherHeaders, options)?.catch((err: unknown) => {
      const isGone = err instanceof Error && 'code' in err && err.code === 'ERR_STREAM_PREMATURE_CLOSE';
      if (!isGone) namespace.log.error({ err, requestId }, 'an answer broke off');
    });
  } catch (err) {
    // A header that no answer can carry is this program's fault, and must not cost the other requests of the process.
    namespace.log.error({ err, requestId }, 'an answer could not be written');
    sendReply(response, refusalReply(httpRefusals.server_error, { requestId }), furtherHeaders, options);
  }
}
