// The front of an HTTP worker: finds the route, reads the body, makes the context, runs the endpoint, sends the reply.
// Exact paths are found in a table before Express is asked; Express, loaded late, serves routes with parameters. What an
// endpoint means is none of its business.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { ProcessServices } from '#shared/worker/process-services.ts';
import { preflightHeaders } from './cors.ts';
import { errorReply, type RenderErrorPage } from './error-reply.ts';
import {
  ClientGoneError,
  IncomingRequest,
  type ReadBody,
  type RequestTarget,
  readBody,
  requestTarget,
} from './incoming-request.ts';
import { type FrontendRules, frontendRules, makeContext } from './make-context.ts';
import { refuseBeyondRate } from './rate-limit.ts';
import { empty, json, noStore, type Reply, withHeaders } from './reply.ts';
import type { Endpoint } from './request.ts';
import type { Route } from './route.ts';
import { sendReply } from './send-reply.ts';

export interface FrontendOptions {
  readonly routes: readonly Route[];
  readonly services: ProcessServices;
  readonly renderErrorPage: RenderErrorPage;
  /** The requests come through the private socket of the door, whose own headers are believed (SUP-02). */
  readonly relayed: boolean;
  /** Takes requests that another process answers (the door's /saml relay) before any route is looked up; true: taken. */
  readonly relay?: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
}

export interface Frontend {
  readonly listener: RequestListener;
  /** From now on answers tell clients to close their connections. */
  beginDrain(): void;
}

interface Exchange {
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
  readonly target: RequestTarget;
  readonly requestId: string;
  readonly corsHeaders: Readonly<Record<string, string>>;
}

const protocolPaths =
  /^\/(?:api|\.well-known|saml|register|token|authorize|userinfo|introspect|revoke|device_authorization|device\/code|end_session|logout|mcp)(?:\/|$)/;

export function createFrontend(options: FrontendOptions): Frontend {
  const { services, routes, renderErrorPage } = options;
  const rules = frontendRules(services.configuration.peek());
  const table = new Map<string, Route>();
  const parametric: Route[] = [];
  for (const route of routes) {
    if (route.path.includes(':') || route.path.includes('*')) parametric.push(route);
    else if (table.has(route.path)) throw new Error(`two routes for ${route.path}`);
    else table.set(route.path, route);
  }
  const processId = services.random.token(4);
  let requestCount = 0;
  let draining = false;
  let express: Promise<RequestListener> | undefined;

  const send = ({ message, response, requestId, corsHeaders }: Exchange, reply: Reply): void => {
    const options = { withoutBody: message.method === 'HEAD' };
    try {
      sendReply(response, reply, corsHeaders, options);
    } catch (err) {
      // A header that no answer can carry is this program's fault, and must not cost the other requests of the process.
      services.log.error({ err, requestId }, 'an answer could not be written');
      sendReply(response, json(500, { error: 'server_error' }), corsHeaders, options);
    }
  };

  /** A browser that runs into a refusal on its way through pages gets it as a page, and a program as JSON. */
  const refusePage = (route: Route, exchange: Exchange, refusal: Reply, title: string, sentence: string): Reply => {
    const accept = exchange.message.headers.accept ?? '';
    if (route.surface !== 'page' || !accept.includes('text/html') || accept.includes('json')) return refusal;
    const { 'Content-Type': _, ...headers } = refusal.headers;
    return withHeaders(renderErrorPage(refusal.status, title, sentence), headers);
  };

  const notFound = (exchange: Exchange): void => {
    const { path } = exchange.target;
    const wantsPage = !protocolPaths.test(path) && (exchange.message.headers.accept ?? '').includes('text/html');
    send(
      exchange,
      wantsPage
        ? renderErrorPage(404, 'Page not found', 'There is nothing at this address.')
        : json(404, { error: 'not_found' }),
    );
  };

  const replyOf = (error: unknown, route: Route, { message, requestId }: Exchange): Reply =>
    errorReply(error, {
      route,
      requestId,
      renderErrorPage,
      log: services.log,
      acceptsJson: (message.headers.accept ?? '').includes('json'),
    });

  async function run(
    route: Route,
    endpoint: Endpoint,
    exchange: Exchange,
    pathParameters: Record<string, string>,
  ): Promise<void> {
    const { message, requestId } = exchange;
    let body: ReadBody;
    try {
      const limited = await refuseByRate(route, message, services, rules, options.relayed);
      if (limited !== undefined) return send(exchange, limited);
      body = await readBody(message);
    } catch (error) {
      if (error instanceof ClientGoneError) return services.log.debug({ requestId, path: route.path }, error.message);
      return send(exchange, replyOf(error, route, exchange));
    }
    if (body.oversized && route.seesOversizedBody !== true) {
      const tooLarge = json(413, { error: 'payload_too_large', error_description: 'The body is larger than 1 MiB.' });
      const sentence = 'What was sent is larger than 1 MiB, so nothing was done with it. Go back and send less.';
      const reply = refusePage(route, exchange, tooLarge, 'Too large', sentence);
      return send(exchange, withHeaders(reply, { Connection: 'close' }));
    }
    let reply: Reply;
    try {
      const snapshot =
        route.standsAlone === true ? services.configuration.peek() : await services.configuration.current();
      const request = new IncomingRequest(message, exchange.target, body, pathParameters);
      const context = makeContext(message, { snapshot, requestId, services, rules, relayed: options.relayed });
      reply = await endpoint(request, context);
      if (route.noStore === true) reply = withHeaders(reply, noStore);
    } catch (error) {
      reply = replyOf(error, route, exchange);
    }
    send(exchange, reply);
  }

  function dispatch(route: Route, exchange: Exchange, pathParameters: Record<string, string>): void {
    if (route.existsWhile === undefined) answer(route, exchange, pathParameters);
    else void answerWhileItExists(route, route.existsWhile, exchange, pathParameters);
  }

  async function answerWhileItExists(
    route: Route,
    exists: NonNullable<Route['existsWhile']>,
    exchange: Exchange,
    pathParameters: Record<string, string>,
  ): Promise<void> {
    let there: boolean;
    try {
      there = exists(await services.configuration.current());
    } catch (error) {
      exchange.message.resume();
      return send(exchange, replyOf(error, route, exchange));
    }
    if (there) return answer(route, exchange, pathParameters);
    exchange.message.resume();
    notFound(exchange);
  }

  function answer(route: Route, exchange: Exchange, pathParameters: Record<string, string>): void {
    const { message } = exchange;
    const method = message.method === 'HEAD' && servesHead(route) ? 'GET' : (message.method ?? 'GET');
    const endpoint = Object.hasOwn(route.methods, method)
      ? route.methods[method as keyof typeof route.methods]
      : undefined;
    if (endpoint !== undefined) {
      void run(route, endpoint, exchange, pathParameters);
      return;
    }
    const allow = allowedMethods(route);
    if (message.method === 'OPTIONS') {
      const preflight = message.headers['access-control-request-method'] !== undefined;
      const corsAllowed = exchange.corsHeaders['Access-Control-Allow-Origin'] !== undefined;
      const headers =
        preflight && corsAllowed ? preflightHeaders(allow, message.headers['access-control-request-headers']) : {};
      send(exchange, empty(204, { Allow: allow, ...headers }));
      return;
    }
    const refusal = refusePage(
      route,
      exchange,
      methodNotAllowed(message.method ?? '', allow),
      'Nothing to see here',
      method === 'GET'
        ? 'This address only takes what a form sends. Open the page of the form and send it from there.'
        : `${method} is not served here.`,
    );
    if (route.gate !== undefined && method !== 'GET') {
      void run(
        route,
        route.gate(async () => refusal),
        exchange,
        pathParameters,
      );
      return;
    }
    message.resume();
    send(exchange, refusal);
  }

  async function loadExpress(): Promise<RequestListener> {
    const { mountOnExpress } = await import('./express-mount.ts');
    return mountOnExpress(parametric, {
      exchangeOf: (message, response) => exchanges.get(response) ?? begin(message, response),
      dispatch,
      notFound,
    });
  }
  const exchanges = new WeakMap<ServerResponse, Exchange>();

  function begin(message: IncomingMessage, response: ServerResponse): Exchange {
    requestCount += 1;
    const { origin } = message.headers;
    const corsHeaders = rules.cors.headersFor(origin);
    return {
      message,
      response,
      target: requestTarget(message.url ?? '/'),
      requestId: `${processId}-${requestCount}`,
      corsHeaders: draining ? { ...corsHeaders, Connection: 'close' } : corsHeaders,
    };
  }

  return {
    listener(message, response) {
      if (options.relay?.(message, response) === true) return;
      const exchange = begin(message, response);
      const route = table.get(exchange.target.path);
      if (route !== undefined) {
        dispatch(route, exchange, {});
        return;
      }
      exchanges.set(response, exchange);
      express ??= loadExpress();
      void express.then((listener) => listener(message, response));
    },
    beginDrain() {
      draining = true;
    },
  };
}

export type { Exchange };

/** HEAD comes with a GET that is safe. */
function servesHead(route: Route): boolean {
  return route.methods.GET !== undefined && route.getHasEffects !== true;
}

/** OPTIONS is answered for every path. */
function allowedMethods(route: Route): string {
  const methods = Object.keys(route.methods);
  const head = servesHead(route) ? ['HEAD'] : [];
  return [...methods, ...head, 'OPTIONS'].join(', ');
}

function methodNotAllowed(method: string, allow: string): Reply {
  return json(
    405,
    { error: 'method_not_allowed', error_description: `${method} is not served here; allowed: ${allow}.` },
    { Allow: allow },
  );
}

async function refuseByRate(
  route: Route,
  message: IncomingMessage,
  services: ProcessServices,
  rules: FrontendRules,
  relayed: boolean,
): Promise<Reply | undefined> {
  // The rate bounds POST alone: what the path answers to other methods is not counted (HDR-14, HDR-15).
  if (route.rateBucket === undefined || rules.rate === undefined || message.method !== 'POST') return undefined;
  const address = rules.addressOf(message, relayed) ?? 'unknown';
  const bucket = `${route.rateBucket}:${address}`;
  return refuseBeyondRate(services.store.rateCounters, rules.rate, bucket, services.clock.now());
}
