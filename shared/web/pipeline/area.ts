// The router of routes that belong together. It finds the route that matches a path. The handling after that is the
// same for all routes.
import type { IncomingMessage } from 'node:http';
import { Router } from 'express';
import { type AddressedRoute, addressed } from '#shared/engine/exchange/addressed-route.ts';
import type { Route } from '#shared/engine/exchange/route.ts';
import { exchangeOf } from './exchange.ts';
import { sandboxRoutes } from './sandbox-routes.ts';
import { handle, type Middleware } from './stage.ts';

/** `onRoute`: handles a request once its route is known. It responds to every request. */
export function area(routes: readonly Route[], onRoute: Router): Middleware {
  const home = routerOf(routes.map(addressed), onRoute);
  // Created at the first request to a sandbox: most instances never get one.
  let inSandbox: Router | undefined;
  return (request, response, next) => {
    let router = home;
    if (exchangeOf(request).namespace.sandbox !== undefined) {
      inSandbox ??= routerOf(sandboxRoutes(routes), onRoute);
      router = inSandbox;
    }
    handle(router, request, response, next);
  };
}

/** Paths match exactly: another case or a trailing slash is a different path. */
function routerOf(routes: readonly AddressedRoute[], onRoute: Router): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const served = routes.filter(({ methods }) => Object.keys(methods).length > 0);
  // An exact path precedes one with parameters, regardless of the order of declaration.
  for (const route of [...served.filter(isExact), ...served.filter((each) => !isExact(each))]) {
    router.all(route.path, (request, response, next) => {
      enter(route, request.params, request);
      handle(onRoute, request, response, next);
    });
  }
  return router;
}

function isExact({ path }: Route): boolean {
  return !/[:*]/.test(path);
}

function enter(
  route: AddressedRoute,
  parameters: Readonly<Record<string, string | string[]>>,
  request: IncomingMessage,
): void {
  const exchange = exchangeOf(request);
  exchange.route = route;
  if (route.isTimeless) exchange.tellsClock = false;
  if (isExact(route)) return;
  const pathParameters: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(parameters)) {
    pathParameters[name] = Array.isArray(value) ? value.join('/') : value;
  }
  exchange.pathParameters = pathParameters;
}
