// Finds the route of the program for an address.
import { oidcRoutes } from '#services/oidc/app.ts';
import { samlFrontendRoutes } from '#services/saml/app.ts';
import type { Route } from '#shared/engine/exchange/route.ts';

export const routes: readonly Route[] = [...oidcRoutes, ...samlFrontendRoutes];

/** Whether `path` matches `pattern` (such as `/users/:username/edit`). */
export function pathMatches(pattern: string, path: string): boolean {
  const [wanted, given] = [pattern.split('/'), path.split('/')];
  return wanted.length === given.length && wanted.every((part, index) => part.startsWith(':') || part === given[index]);
}

/** The route's pattern, with exact ones before those with parameters. undefined if no route matches. */
export function routeOf(path: string): string | undefined {
  const matching = routes.filter((route) => pathMatches(route.path, path)).map((route) => route.path);
  return matching.find((pattern) => pattern === path) ?? matching[0];
}
