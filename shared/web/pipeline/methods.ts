// The methods of a path, as in Allow (RFC 9110 §10.2.1).
import type { Route } from '#shared/engine/exchange/route.ts';

export function allowedMethods(route: Route): string {
  const head = servesHead(route) ? ['HEAD'] : [];
  return [...Object.keys(route.methods), ...head, 'OPTIONS'].join(', ');
}

export function servesHead(route: Route): boolean {
  return route.methods.GET !== undefined && route.getHasEffects !== true;
}
