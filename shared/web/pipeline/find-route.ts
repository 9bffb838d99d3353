// Which route a path names. Exact paths are looked up in a table, since those are the busy ones; the few with
// parameters are tried in the order in which they were declared.
import { match } from 'path-to-regexp';
import type { Namespace } from '#shared/engine/exchange/namespace.ts';
import type { Route, Surface } from '#shared/engine/exchange/route.ts';

export interface FoundRoute {
  readonly route: Route;
  /** Decoded. */
  readonly pathParameters: Readonly<Record<string, string>>;
}

export interface RouteTable {
  find(path: string): FoundRoute | undefined;
  /** Where a path lies that names nothing: on the surface of the nearest route above it, else among the pages (HDR-19). */
  surfaceAround(path: string): Surface;
}

/** What there is in the default identity provider, and in a sandbox. */
export interface RouteTables {
  readonly home: RouteTable;
  readonly sandbox: RouteTable;
}

export function tableOf({ sandbox }: Pick<Namespace, 'sandbox'>, tables: RouteTables): RouteTable {
  return sandbox === undefined ? tables.home : tables.sandbox;
}

/** @throws Error when two routes have one path. */
export function routeTable(routes: readonly Route[]): RouteTable {
  const exact = new Map<string, FoundRoute>();
  const surfaces = new Map<string, Surface>();
  const withParameters: ((path: string) => FoundRoute | undefined)[] = [];
  for (const route of routes) {
    if (/[:*]/.test(route.path)) {
      withParameters.push(matcherOf(route));
      continue;
    }
    if (surfaces.has(route.path)) throw new Error(`two routes for ${route.path}`);
    surfaces.set(route.path, route.surface);
    if (Object.keys(route.methods).length > 0) exact.set(route.path, { route, pathParameters: none });
  }
  return {
    find(path) {
      const found = exact.get(path);
      if (found !== undefined) return found;
      for (const matches of withParameters) {
        const matched = matches(path);
        if (matched !== undefined) return matched;
      }
      return undefined;
    },
    surfaceAround(path) {
      for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
        const surface = surfaces.get(path.slice(0, end));
        if (surface !== undefined) return surface;
      }
      return 'page';
    },
  };
}

const none: Readonly<Record<string, string>> = Object.freeze(Object.create(null));

function matcherOf(route: Route): (path: string) => FoundRoute | undefined {
  const matches = match<Record<string, string | string[]>>(route.path, { sensitive: true, trailing: false });
  return (path) => {
    const matched = matchedOrMalformed(matches, path);
    if (matched === false) return undefined;
    const pathParameters: Record<string, string> = Object.create(null);
    for (const [name, value] of Object.entries(matched.params)) {
      pathParameters[name] = Array.isArray(value) ? value.join('/') : value;
    }
    return { route, pathParameters };
  };
}

/** A path that cannot be decoded (`%zz`) names nothing. */
function matchedOrMalformed<Found>(matches: (path: string) => Found | false, path: string): Found | false {
  try {
    return matches(path);
  } catch (error) {
    if (error instanceof URIError) return false;
    throw error;
  }
}
