// One request on its way through the stages of a front end, and the values that all stages of a front end share. A
// stage finds the exchange on the request that Express passes.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BoundedBody } from '#shared/base/bounded-body.ts';
import type { AddressedRoute } from '#shared/engine/exchange/addressed-route.ts';
import type { Namespace, Namespaces } from '#shared/engine/exchange/namespace.ts';
import type { ProcessServices } from '#shared/engine/exchange/process-services.ts';
import type { Recording } from '#shared/engine/exchange/recording.ts';
import type { Reply } from '#shared/engine/exchange/reply.ts';
import type { Endpoint, ManagementContext, ParsedRequest } from '#shared/engine/exchange/request.ts';
import type { ReadFacts } from '#shared/engine/faults/request-facts.ts';
import { basePathOf } from '#shared/protocol/oidc/issuer-address.ts';
import type { RenderErrorPage } from './error-reply.ts';
import type { FrontendRules } from './frontend-rules.ts';
import type { RequestTarget } from './incoming-request.ts';
import type { PathsOfFrontend } from './known-paths.ts';
import type { largeReads } from './large-reads.ts';
import type { PinnedClock } from './pinned-clock.ts';
import type { Wire } from './unusual-delivery.ts';

export interface FrontendParts {
  readonly services: ProcessServices;
  /** The default identity provider. */
  readonly home: Namespace;
  readonly namespaces: Namespaces;
  readonly paths: PathsOfFrontend;
  readonly largeReads: ReturnType<typeof largeReads>;
  readonly rules: FrontendRules;
  readonly renderErrorPage: RenderErrorPage;
  /** Requests arrive through the private socket of the OIDC worker, whose own headers are trusted (SUP-02). */
  readonly relayed: boolean;
  readonly wire: Wire;
  /** Facts that the service knows about its requests beyond those of OAuth, for the conditions of faults. */
  readonly readFacts?: ReadFacts | undefined;
  /**
   * Takes requests that another process serves (the /saml relay). true: taken. `path` is the path inside the namespace.
   * The request itself is passed on unchanged.
   */
  readonly relay?: ((path: string, request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
}

/** The recording of this request (record-exchange.ts), as far as the stages use it. */
interface ExchangeRecording extends Recording {
  /** The request was read. */
  read(request: ParsedRequest, context: ManagementContext): void;
  /** The reply as it is sent. Returns a promise when the response has to wait. */
  end(sent: Reply): Promise<void> | undefined;
}

export interface Exchange {
  readonly frontend: FrontendParts;
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  /** As the request names it, including the prefix of a sandbox. */
  readonly target: RequestTarget;
  /** The default identity provider, until a stage finds another namespace. */
  namespace: Namespace;
  /** The path inside the namespace, which is matched against routes. */
  path: string;
  /** The name of the sandbox in the path, when that sandbox does not exist. */
  unknownSandbox: string | undefined;
  /** The clock that the whole request uses. */
  clock: PinnedClock;
  /** The response names the time in the namespace while its clock is moved (TIM-24). */
  tellsClock: boolean;
  /** Headers added to every reply: those of CORS, and `Connection: close` while draining. */
  furtherHeaders: Readonly<Record<string, string>>;
  /** The route that the path matches, with the methods that are currently served. */
  route: AddressedRoute | undefined;
  /** Decoded. */
  pathParameters: Readonly<Record<string, string>>;
  recording: ExchangeRecording | undefined;
  /** The response of the endpoint must not be stored (HDR-01). */
  noStore: boolean;
  /** The endpoint for the method, once it is known. */
  endpoint: Endpoint | undefined;
  body: BoundedBody;
  request: ParsedRequest | undefined;
  context: ManagementContext | undefined;
}

/** A path as a browser must request it, for pages that are made without a context (`ProtocolContext.path`). */
export function ownPathOf({ namespace }: Pick<Exchange, 'namespace'>): (path: string) => string {
  const { settings } = namespace.configuration.inForce();
  return (path) => basePathOf(settings.oauth.issuer) + namespace.path(path);
}

/** After the router of an area: the path matches a route. */
export type RoutedExchange = Exchange & { route: AddressedRoute };

declare module 'http' {
  interface IncomingMessage {
    /** Set at the beginning of a request to a front end. */
    exchange?: Exchange;
  }
}

/** @throws Error for a request that no front end has started to handle */
export function exchangeOf({ exchange }: IncomingMessage): Exchange {
  if (exchange === undefined) throw new Error('a stage was asked without an exchange');
  return exchange;
}

/** @throws Error in a stage before the routes */
export function routed(exchange: Exchange): RoutedExchange {
  if (!isRouted(exchange)) throw new Error('a stage of routes stands before the routes');
  return exchange;
}

function isRouted(exchange: Exchange): exchange is RoutedExchange {
  return exchange.route !== undefined;
}
