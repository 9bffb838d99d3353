// From what arrived to what an endpoint reads: the request as a value, and the context that it works in.
import { turnForBody } from '#shared/base/scheduling/event-loop-turns.ts';
import { notStored, type Reply } from '#shared/engine/exchange/reply.ts';
import type { Route } from '#shared/engine/exchange/route.ts';
import type { RoutedExchange } from './exchange.ts';
import { ClientGoneError, IncomingRequest } from './incoming-request.ts';
import { makeContext } from './make-context.ts';
import { beginRecording } from './record-exchange.ts';
import { refusalOf } from './refusal-of.ts';
import { tellClock } from './tell-clock.ts';

/** What happens here may be an exchange of the recorder (REC-01). */
export function record(exchange: RoutedExchange): undefined {
  const { services, rules, relayed } = exchange.frontend;
  exchange.recording = beginRecording(exchange.route, exchange, {
    ...{ services, rules, relayed },
    sent: (reply) => tellClock(reply, exchange),
    replyOf: (error) => refusalOf(error, exchange),
  });
}

/** @throws ClientGoneError, and where neither configuration nor store can be read */
export async function readRequest(exchange: RoutedExchange): Promise<undefined> {
  const { route, message, response, target, path, body, namespace, clock, frontend } = exchange;
  const { configuration } = namespace;
  const snapshot = route.standsAlone ? configuration.inForce() : await configuration.refreshed();
  // Where the configuration was asked for, the clock was looked at with it.
  const pinned = route.standsAlone && !route.timeless ? await clock.refresh() : clock.cached();
  // However many bodies are completed at once, and whatever they cost to read, no turn of the event loop gets long.
  const turn = body.length > 0 || target.rawQuery !== '' ? turnForBody(body.length) : undefined;
  if (turn !== undefined) await turn;
  if (response.destroyed) throw new ClientGoneError('the client went away before its request was handled');
  const request = new IncomingRequest(message, { path, rawQuery: target.rawQuery }, body, exchange.pathParameters);
  const largeRead = largeReadOf(route, message.method);
  if (largeRead !== undefined) await frontend.largeReads[largeRead].admit(response);
  const context = makeContext(exchange, { snapshot, clock: pinned });
  exchange.request = request;
  exchange.context = context;
  exchange.recording?.read(request, context);
}

/**
 * The last thing done to what an endpoint answers: what the route says of all of that. The recorder asks for it before
 * the reply is sent, and a copy of a reply takes microseconds.
 */
export function finished(reply: Reply, exchange: RoutedExchange): Reply {
  if (!exchange.noStore) return reply;
  if (exchange.copied?.of !== reply) exchange.copied = { of: reply, copy: notStored(reply) };
  return exchange.copied.copy;
}

function largeReadOf({ largeRead }: Route, method: string | undefined): Route['largeRead'] {
  return method === 'GET' || method === 'HEAD' ? largeRead : undefined;
}
