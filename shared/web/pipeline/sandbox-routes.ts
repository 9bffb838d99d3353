// The routes of a sandbox: those of the default identity provider that exist in sandboxes (SBX-20, SBX-21).

import { type AddressedRoute, addressed } from '#shared/engine/exchange/addressed-route.ts';
import type { Endpoint } from '#shared/engine/exchange/request.ts';
import { apiError, type HttpMethod, type Route } from '#shared/engine/exchange/route.ts';

export function sandboxRoutes(routes: readonly Route[]): readonly AddressedRoute[] {
  return routes.map(addressed).flatMap((route) => {
    if (route.inSandbox === false) return [];
    return [route.inSandbox === undefined ? route : refusing(route, route.inSandbox)];
  });
}

/** Behind the route's gate: a caller without write access gets only the gate's rejection. */
function refusing(route: AddressedRoute, row: Exclude<Route['inSandbox'], false | undefined>): AddressedRoute {
  const refuse: Endpoint = async () => {
    throw apiError(row);
  };
  const methods: Partial<Record<HttpMethod, Endpoint>> = {};
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const) {
    if (route.methods[method] !== undefined)
      methods[method] = method === 'GET' ? refuse : (route.gate?.(refuse) ?? refuse);
  }
  return { ...route, methods };
}
