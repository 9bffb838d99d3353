// Turns the received request into the input of an endpoint: the request as a value, and its context.
import { turnForBody } from '#shared/base/scheduling/event-loop-turns.ts';
import { notStored, type Reply } from '#shared/engine/exchange/reply.ts';
import type { Route } from '#shared/engine/exchange/route.ts';
import { withClockHeader } from './clock-header.ts';
import type { RoutedExchange } from './exchange.ts';
import { ClientGoneError, IncomingRequest } from './incoming-request.ts';
import { makeContext } from './make-context.ts';
import { beginRecording } from './record-exchange.ts';
import { refusalOf } from './refusal-of.ts';

/** Starts recording if this request is an exchange of the recorder (REC-01). */
export function record(exchange: RoutedExchange): undefined {
  const { services, rules, relayed } = exchange.frontend;
  exchange.recording = beginRecording(exchange.route, exchange, {
    ...{ services, rules, relayed },
    sent: (reply) => withClockHeader(reply, exchange),
    replyOf: (error) => refusalOf(error, exchange),
  });
}

/** @throws ClientGoneError, and an error where neither configuration nor store can be read */
export async function readRequest(exchange: RoutedExchange): Promise<undefined> {
  const { route, message, response, target, path, body, namespace, clock, frontend } = exchange;
  const { configuration } = namespace;
  const snapshot = route.isIndependent ? configuration.inForce() : await configuration.refreshed();
  // Refreshing the configuration also refreshes the clock.
  const pinned = route.isIndependent && !route.isTimeless ? await clock.refresh() : clock.cached();
  // However many bodies complete at once, and however long they take to read, no turn of the event loop gets long.
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

/** The last change to an endpoint's reply: applies what the route says about all of its replies. */
export function finished(reply: Reply, { noStore }: RoutedExchange): Reply {
  return noStore ? notStored(reply) : reply;
}

function largeReadOf({ largeRead }: Route, method: string | undefined): Route['largeRead'] {
  return method === 'GET' || method === 'HEAD' ? largeRead : undefined;
}
