// A route with the rules of its audience.
import { type AudienceRules, audiences } from './audience.ts';
import type { Route } from './route.ts';

/** A route with what follows from its audience and its overrides. */
export type AddressedRoute = Route & Omit<AudienceRules, 'inSandbox'>;

export function addressed(route: Route): AddressedRoute {
  return { ...audiences[route.audience], ...route.overrides, ...route };
}
