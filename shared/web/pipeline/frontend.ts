// A front end: the router of a service (its app.ts defines the handling of requests) over node:http, and its state.
import type { RequestListener } from 'node:http';
import type { Router } from 'express';
import { defaultNamespace, type Namespaces, namespacesWithSandboxes } from '#shared/engine/exchange/namespace.ts';
import type { Route } from '#shared/engine/exchange/route.ts';
import { heldAnswers } from '#shared/engine/faults/held-answers.ts';
import type { FrontendParts } from './exchange.ts';
import { frontendRules } from './frontend-rules.ts';
import { noBody, requestTarget } from './incoming-request.ts';
import { KnownPaths } from './known-paths.ts';
import { largeReads } from './large-reads.ts';
import { PinnedClock } from './pinned-clock.ts';
import { sandboxRoutes } from './sandbox-routes.ts';
import { handle } from './stage.ts';

export interface FrontendOptions
  extends Pick<FrontendParts, 'services' | 'renderErrorPage' | 'relayed' | 'readFacts' | 'relay'> {
  readonly app: Router;
  /** The routes of the app. */
  readonly routes: readonly Route[];
  /** Finds the namespace of a path. Without it: the default identity provider, and sandboxes below it. */
  readonly namespaces?: Namespaces;
}

export interface Frontend {
  readonly listener: RequestListener;
  /** From now on responses tell clients to close their connections. */
  beginDrain(): void;
}

export function createFrontend({ app, routes, ...options }: FrontendOptions): Frontend {
  const { services, relayed } = options;
  const home = defaultNamespace(services);
  let draining = false;
  const held = heldAnswers();
  const paths = { home: new KnownPaths(routes), sandbox: new KnownPaths(sandboxRoutes(routes)) };
  const frontend: FrontendParts = {
    ...{ home, largeReads: largeReads() },
    namespaces: namespacesWithSandboxes(home, services.sandboxes, (path) => paths.home.isAtRoot(path)),
    ...options,
    paths,
    rules: frontendRules(services.atStart),
    wire: { held, relayed, isEnding: () => draining },
  };
  const processId = services.random.token(4);
  let requestCount = 0;

  return {
    listener(message, response) {
      requestCount += 1;
      const target = requestTarget(message.url ?? '/');
      const requestId = `${processId}-${requestCount}`;
      message.exchange = {
        frontend,
        message,
        response,
        requestId,
        target,
        namespace: home,
        path: target.path,
        unknownSandbox: undefined,
        clock: new PinnedClock(home),
        tellsClock: false,
        furtherHeaders: {},
        route: undefined,
        pathParameters: {},
        recording: undefined,
        noStore: false,
        endpoint: undefined,
        body: noBody,
        request: undefined,
        context: undefined,
      };
      handle(app, message, response, (err?: unknown) => {
        services.log.error({ err, requestId }, 'a request got no response because its handler failed');
        response.destroy();
      });
    },
    beginDrain() {
      draining = true;
      held.end();
    },
  };
}
