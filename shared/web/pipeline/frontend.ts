// The front of an HTTP worker: every request goes the same way through the stages of this folder, one file a stage.
// What an endpoint means is none of its business.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { turnForBody } from '#shared/base/scheduling/event-loop-turns.ts';
import { refuseCoded } from '#shared/engine/exchange/content-coding.ts';
import {
  defaultNamespace,
  type Namespaces,
  namespacesWithSandboxes,
  type Place,
  type UnknownPlace,
} from '#shared/engine/exchange/namespace.ts';
import type { ProcessServices } from '#shared/engine/exchange/process-services.ts';
import { refusalReply } from '#shared/engine/exchange/refusal-reply.ts';
import { notStored, type Reply } from '#shared/engine/exchange/reply.ts';
import type { Endpoint } from '#shared/engine/exchange/request.ts';
import { belongsToThisMachine, isForEveryOrigin, type Route } from '#shared/engine/exchange/route.ts';
import { heldAnswers } from '#shared/engine/faults/held-answers.ts';
import type { ReadFacts } from '#shared/engine/faults/request-facts.ts';
import { httpRefusals } from '#shared/model/refusals/families/http.ts';
import { NamespaceEndedError } from '#shared/state/store/namespace-id.ts';
import { answerOptions, answerPreflightOfUnknownPath } from './answer-options.ts';
import { answerWithFaults, type FaultStage, faultsAt } from './apply-faults.ts';
import { refuseBody } from './bound-body.ts';
import { boundRate } from './bound-rate.ts';
import { refuseMethod, servingEndpoint, withServedMethods } from './choose-endpoint.ts';
import { errorReply, type RenderErrorPage } from './error-reply.ts';
import type { Arrival, Exchange, FrontendParts } from './exchange.ts';
import { type FoundRoute, type RouteTable, routeTable, tableOf } from './find-route.ts';
import { ClientGoneError, IncomingRequest, readBody, requestTarget } from './incoming-request.ts';
import { largeReads } from './large-reads.ts';
import { frontendRules, makeContext } from './make-context.ts';
import { refuseForeignHost } from './own-host.ts';
import { acceptsJson, notFound, unknownSandbox } from './page-for-browser.ts';
import { PinnedClock } from './pinned-clock.ts';
import { beginRecording, type RequestRecording } from './record-exchange.ts';
import { sandboxRoutes } from './sandbox-routes.ts';
import { sendReply } from './send-reply.ts';
import { refuseSeveralAuthorizations, refuseSeveralHosts } from './single-headers.ts';
import { tellClock } from './tell-clock.ts';

/** What answers say once the worker drains. */
const closing = { Connection: 'close' };

export interface FrontendOptions {
  readonly routes: readonly Route[];
  readonly services: ProcessServices;
  /** Where paths lie; without it in the default identity provider, and below it in sandboxes. */
  readonly namespaces?: Namespaces;
  readonly renderErrorPage: RenderErrorPage;
  /** The requests come through the private socket of the door, whose own headers are believed (SUP-02). */
  readonly relayed: boolean;
  /** What the service knows of its requests beyond the OAuth ones, for the conditions of faults. */
  readonly readFacts?: ReadFacts | undefined;
  /**
   * Takes requests that another process answers (the door's /saml relay) before any route is looked up; true: taken.
   * `path` is the one inside the namespace; the request itself goes on as it came.
   */
  readonly relay?: ((path: string, request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
}

export interface Frontend {
  readonly listener: RequestListener;
  /** From now on answers tell clients to close their connections. */
  beginDrain(): void;
}

export function createFrontend({ routes, relay, ...options }: FrontendOptions): Frontend {
  const { services } = options;
  const home = defaultNamespace(services);
  const parts: FrontendParts = {
    ...{ home, largeReads: largeReads() },
    namespaces: namespacesWithSandboxes(home, services.sandboxes),
    ...options,
    tables: { home: routeTable(routes), sandbox: routeTable(sandboxRoutes(routes)) },
    rules: frontendRules(services.atStart),
    wire: { held: heldAnswers(), relayed: options.relayed, isEnding: () => draining },
  };
  const processId = services.random.token(4);
  let requestCount = 0;
  let draining = false;

  // Here and below member by member: `{ ...one, ...another }` takes microseconds, and each request comes this way.
  function begin({ message, response, target }: Arrival, { namespace, path }: Place): Exchange {
    requestCount += 1;
    const table = tableOf(namespace, parts.tables);
    const found = table.find(path);
    // That nothing is there may be read from everywhere: a mistyped address must not look like a problem with CORS.
    const isForAll = found === undefined || isForEveryOrigin(found.route);
    const corsHeaders =
      found?.route.ownOriginOnly === true ? {} : parts.rules.cors.headersFor(message.headers.origin, isForAll);
    return {
      message,
      response,
      target,
      namespace,
      path,
      found,
      wire: parts.wire,
      clock: new PinnedClock(namespace),
      requestId: `${processId}-${requestCount}`,
      furtherHeaders: parts.wire.isEnding() ? { ...corsHeaders, ...closing } : corsHeaders,
    };
  }

  async function answerOnceFound(found: Promise<Place | UnknownPlace>, arrival: Arrival): Promise<void> {
    const { message, response, target } = arrival;
    const nowhere: Place = { namespace: home, path: target.path };
    try {
      const place = await found;
      if ('unknown' in place) {
        const exchange = begin(arrival, { ...nowhere, path: place.path });
        const preflight = answerPreflightOfUnknownPath(exchange);
        send(preflight ?? unknownSandbox(place.unknown, exchange, parts), exchange);
      } else if (relay?.(place.path, message, response) !== true) {
        await answer(begin(arrival, place), parts);
      }
    } catch (error) {
      const exchange = begin(arrival, nowhere);
      const route = { path: target.path, surface: parts.tables.home.surfaceAround(target.path) };
      send(refusalOf(error, route, exchange, parts), exchange);
    }
  }

  return {
    listener(message, response) {
      const severalHosts = refuseSeveralHosts(message);
      if (severalHosts !== undefined) return sendReply(response, severalHosts, {}, { withoutBody: false });
      const target = requestTarget(message.url ?? '/');
      const arrival = { message, response, target };
      const place = parts.namespaces.find(target.path);
      if (place instanceof Promise) void answerOnceFound(place, arrival);
      else if (relay?.(place.path, message, response) !== true) {
        void answer(begin(arrival, place), parts);
      }
    },
    beginDrain() {
      draining = true;
      parts.wire.held.end();
    },
  };
}

async function answer(exchange: Exchange, parts: FrontendParts): Promise<void> {
  const { found } = exchange;
  const routes = tableOf(exchange.namespace, parts.tables);
  if (found === undefined) {
    await clockSeen(exchange);
    const preflight = answerPreflightOfUnknownPath(exchange);
    return send(preflight ?? tellClock(notFound(routes, exchange, parts), exchange), exchange);
  }
  const told = (reply: Reply) => (found.route.timeless === true ? reply : tellClock(reply, exchange));
  const { services, rules, relayed } = parts;
  const recording = beginRecording(found.route, exchange, {
    services,
    rules,
    relayed,
    sent: told,
    replyOf: (error) => refusalOf(error, found.route, exchange, parts, recording),
  });
  let reply: Reply;
  try {
    const made = await replyAt(found, exchange, routes, parts, recording);
    if (found.route.timeless !== true) await clockSeen(exchange);
    reply = told(made);
  } catch (error) {
    if (error instanceof ClientGoneError) {
      exchange.namespace.log.debug({ requestId: exchange.requestId, path: found.route.path }, error.message);
      return;
    }
    if (found.route.timeless !== true) await clockSeen(exchange);
    reply = told(refusalOf(error, found.route, exchange, parts, recording));
  }
  const kept = recording?.end(reply);
  if (kept !== undefined) await kept;
  send(reply, exchange);
}

/** For answers that were made without asking the store anything. */
function clockSeen({ clock }: Exchange): unknown {
  return clock.looked();
}

/** The stages between route and endpoint, in their order. @throws ClientGoneError, and whatever the endpoint throws */
async function replyAt(
  { route: declared, pathParameters }: FoundRoute,
  exchange: Exchange,
  routes: RouteTable,
  parts: FrontendParts,
  recording: RequestRecording | undefined,
): Promise<Reply> {
  const { message, response, target, requestId, namespace, path, clock } = exchange;
  const { configuration } = namespace;
  const route =
    declared.servedWhile === undefined ? declared : withServedMethods(declared, await configuration.current());
  if (route.existsWhile !== undefined && !route.existsWhile(await configuration.current())) {
    return notFound(routes, exchange, parts);
  }
  const foreign = belongsToThisMachine(route) ? await refuseForeignHost(route, exchange, parts) : undefined;
  const misaddressed = foreign ?? refuseSeveralAuthorizations(message);
  if (misaddressed !== undefined) return misaddressed;
  const served = servingEndpoint(route, message.method);
  const endpoint = served ?? otherMethod(route, exchange, parts);
  if (typeof endpoint !== 'function') return endpoint;

  const limited = await boundRate(route, exchange, parts);
  if (limited !== undefined) return limited;
  const body = await readBody(message);
  const unread = refuseBody(body, route, exchange, parts);
  if (unread !== undefined) return unread;
  const coded = route.seesRefusedBody === true ? undefined : refuseCoded(message.headers, body.length);
  if (coded !== undefined) return coded;

  const snapshot = route.standsAlone === true ? configuration.peek() : await configuration.current();
  const pinned = route.standsAlone === true && route.timeless !== true ? await clock.looked() : clock.asSeen();
  // However many bodies are completed at once, and whatever they cost to read, no turn of the event loop gets long.
  const turn = body.length > 0 || target.rawQuery !== '' ? turnForBody(body.length) : undefined;
  if (turn !== undefined) await turn;
  if (exchange.response.destroyed) throw new ClientGoneError('the client went away before its request was handled');
  const request = new IncomingRequest(message, { path, rawQuery: target.rawQuery }, body, pathParameters);
  const largeRead = largeReadOf(route, message.method);
  if (largeRead !== undefined) await parts.largeReads[largeRead].admit(exchange.response);
  const context = makeContext(message, {
    namespace,
    snapshot,
    requestId,
    recording,
    response,
    ...parts,
    clock: pinned,
  });
  const finished = onceForEach((reply) =>
    served !== undefined && isNotStored(route, message.method) ? notStored(reply) : reply,
  );
  recording?.read(request, context, finished);
  const faults = faultsAt(route, context);
  if (faults === undefined) return finished(await endpoint(request, context));
  return answerWithFaults(
    faults,
    endpoint,
    request,
    context,
    misbehaviourParts(route, exchange, parts, finished, recording),
  );
}

/** Of the same reply again the same is made: the recorder asks for it before it is sent. */
function onceForEach(make: (reply: Reply) => Reply): (reply: Reply) => Reply {
  let last: { readonly of: Reply; readonly made: Reply } | undefined;
  return (reply) => {
    if (last?.of !== reply) last = { of: reply, made: make(reply) };
    return last.made;
  };
}

function misbehaviourParts(
  route: Route,
  exchange: Exchange,
  parts: FrontendParts,
  finished: FaultStage['finished'],
  recording: RequestRecording | undefined,
): FaultStage {
  return {
    ...{ held: parts.wire.held, readFacts: parts.readFacts, finished },
    replyOf: (error) => {
      if (error instanceof ClientGoneError) throw error;
      return refusalOf(error, route, exchange, parts, recording);
    },
    onceSent: (callback) => {
      exchange.response.once('close', callback);
    },
  };
}

function otherMethod(route: Route, exchange: Exchange, parts: FrontendParts): Reply | Endpoint {
  return exchange.message.method === 'OPTIONS' ? answerOptions(route, exchange) : refuseMethod(route, exchange, parts);
}

function refusalOf(
  error: unknown,
  route: Pick<Route, 'path' | 'surface' | 'noStore'>,
  exchange: Exchange,
  parts: FrontendParts,
  recording?: RequestRecording,
): Reply {
  const { message, requestId, namespace } = exchange;
  if (error instanceof NamespaceEndedError && namespace.sandbox !== undefined) {
    return unknownSandbox(namespace.sandbox, exchange, parts);
  }
  const { renderErrorPage } = parts;
  return errorReply(error, {
    ...{ route, requestId, log: namespace.log },
    noStore: isNotStored(route, message.method),
    renderErrorPage: (status, title, sentence) =>
      renderErrorPage(status, title, sentence, namespace.path, recording?.requestId),
    acceptsJson: acceptsJson(message),
  });
}

function largeReadOf({ largeRead }: Route, method: string | undefined): Route['largeRead'] {
  return method === 'GET' || method === 'HEAD' ? largeRead : undefined;
}

function isNotStored({ noStore }: Pick<Route, 'noStore'>, method: string | undefined): boolean {
  const served = method === 'HEAD' ? 'GET' : method;
  return noStore === true || noStore?.some((each) => each === served) === true;
}

function send(reply: Reply, exchange: Exchange): void {
  const { message, response, requestId, namespace, wire } = exchange;
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
