// One request on its way through the pipeline, before anything of it is read, and what all stages of a frontend know.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Namespace, Namespaces } from '#shared/engine/exchange/namespace.ts';
import type { ProcessServices } from '#shared/engine/exchange/process-services.ts';
import type { ReadFacts } from '#shared/engine/faults/request-facts.ts';
import type { RenderErrorPage } from './error-reply.ts';
import type { FoundRoute, RouteTables } from './find-route.ts';
import type { RequestTarget } from './incoming-request.ts';
import type { largeReads } from './large-reads.ts';
import type { FrontendRules } from './make-context.ts';
import type { PinnedClock } from './pinned-clock.ts';
import type { Wire } from './unusual-delivery.ts';

/** A request before it is known where it leads. */
export interface Arrival {
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
  readonly target: RequestTarget;
}

export interface Exchange extends Arrival {
  readonly namespace: Namespace;
  /** The path inside the namespace: what routes are found by. */
  readonly path: string;
  /** The route that the path names. */
  readonly found: FoundRoute | undefined;
  readonly requestId: string;
  /** The clock that all of it goes by. */
  readonly clock: PinnedClock;
  /** What every answer to it carries beside its own headers: the rules of CORS, and the end of the connection. */
  readonly furtherHeaders: Readonly<Record<string, string>>;
  readonly wire: Wire;
}

export interface FrontendParts {
  readonly services: ProcessServices;
  /** The default identity provider. */
  readonly home: Namespace;
  readonly namespaces: Namespaces;
  readonly tables: RouteTables;
  readonly largeReads: ReturnType<typeof largeReads>;
  readonly rules: FrontendRules;
  readonly renderErrorPage: RenderErrorPage;
  /** The requests come through the private socket of the door, whose own headers are believed (SUP-02). */
  readonly relayed: boolean;
  readonly wire: Wire;
  /** What the service knows of its requests beyond the OAuth ones, for the conditions of faults. */
  readonly readFacts?: ReadFacts | undefined;
}
