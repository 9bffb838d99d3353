// One request on its way through the stages of a frontend, and what all stages of a frontend share. A stage finds it at the
// request that Express hands over.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BoundedBody } from '#shared/base/bounded-body.ts';
import type { AddressedRoute } from '#shared/engine/exchange/addressed-route.ts';
import type { Namespace, Namespaces } from '#shared/engine/exchange/namespace.ts';
import type { ProcessServices } from '#shared/engine/exchange/process-services.ts';
import type { Recording } from '#shared/engine/exchange/recording.ts';
import type { Reply } from '#shared/engine/exchange/reply.ts';
import type { Endpoint, ManagementContext, ParsedRequest } from '#shared/engine/exchange/request.ts';
import type { ReadFacts } from '#shared/engine/faults/request-facts.ts';
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
  /** The requests come through the private socket of the door, whose own headers are believed (SUP-02). */
  readonly relayed: boolean;
  readonly wire: Wire;
  /** What the service knows of its requests beyond the OAuth ones, for the conditions of faults. */
  readonly readFacts?: ReadFacts | undefined;
  /**
   * Takes requests that another process answers (the door's /saml relay); true: taken. `path` is the one inside the
   * namespace; the request itself goes on as it came.
   */
  readonly relay?: ((path: string, request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
}

/** What makes an exchange of the recorder of it (record-exchange.ts), as far as the stages use that. */
interface ExchangeRecording extends Recording {
  /** The request was read. */
  read(request: ParsedRequest, context: ManagementContext): void;
  /** The reply as it is sent; a promise where the response has to wait. */
  end(sent: Reply): Promise<void> | undefined;
}

export interface Exchange {
  readonly frontend: FrontendParts;
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  /** As the request names it, the prefix of a sandbox included. */
  readonly target: RequestTarget;
  /** The default identity provider until a stage has found another one. */
  namespace: Namespace;
  /** The path inside the namespace: what routes are matched against. */
  path: string;
  /** The name in a path that lies in a sandbox which does not exist. */
  unknownSandbox: string | undefined;
  /** The clock that the whole request uses. */
  clock: PinnedClock;
  /** The response says what time it is in the namespace, while that is moved (TIM-24). */
  tellsClock: boolean;
  /** What the response carries beside its own headers: the rules of CORS, and the end of the connection. */
  furtherHeaders: Readonly<Record<string, string>>;
  /** The route that the path matches, with those of its methods that are served at the moment. */
  route: AddressedRoute | undefined;
  /** Decoded. */
  pathParameters: Readonly<Record<string, string>>;
  recording: ExchangeRecording | undefined;
  /** The response of the endpoint may not be stored (HDR-01). */
  noStore: boolean;
  /** The last response of the endpoint that was made one that may not be stored. */
  copied: { readonly of: Reply; readonly copy: Reply } | undefined;
  /** What answers the method, once that is known. */
  endpoint: Endpoint | undefined;
  body: BoundedBody;
  request: ParsedRequest | undefined;
  context: ManagementContext | undefined;
}

/** Behind the router of an area: the path matches a route. */
export type RoutedExchange = Exchange & { route: AddressedRoute };

declare module 'http' {
  interface IncomingMessage {
    /** Of a request to a frontend, from its beginning. */
    exchange?: Exchange;
  }
}

/** @throws Error for a request that no frontend has begun to answer */
export function exchangeOf({ exchange }: IncomingMessage): Exchange {
  if (exchange === undefined) throw new Error('a stage was asked without an exchange');
  return exchange;
}

/** @throws Error in a stage that stands before the routes */
export function routed(exchange: Exchange): RoutedExchange {
  if (!isRouted(exchange)) throw new Error('a stage of routes stands before the routes');
  return exchange;
}

function isRouted(exchange: Exchange): exchange is RoutedExchange {
  return exchange.route !== undefined;
}
