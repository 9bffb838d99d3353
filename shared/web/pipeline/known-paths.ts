// The paths that exist, for code that does not send a request to them: a link that may lead nowhere, and the form of a
// 404.
import { type AddressedRoute, addressed } from '#shared/engine/exchange/addressed-route.ts';
import type { Surface } from '#shared/engine/exchange/audience.ts';
import type { Namespace } from '#shared/engine/exchange/namespace.ts';
import type { Route } from '#shared/engine/exchange/route.ts';

export class KnownPaths {
  readonly #routes = new Map<string, AddressedRoute>();

  /** @throws Error when two routes have the same path. */
  constructor(routes: readonly Route[]) {
    for (const route of routes) {
      if (this.#routes.has(route.path)) throw new Error(`two routes for ${route.path}`);
      this.#routes.set(route.path, addressed(route));
    }
  }

  /** Whether a route serves this path. For paths without parameters. */
  has(path: string): boolean {
    return Object.keys(this.#routes.get(path)?.methods ?? {}).length > 0;
  }

  /** For a path that matches no route: the surface of the nearest route above it, or else that of pages (HDR-19). */
  surfaceAround(path: string): Surface {
    for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
      const route = this.#routes.get(path.slice(0, end));
      if (route !== undefined) return route.surface;
    }
    return 'page';
  }
}

/** The paths of the default identity provider and of a sandbox. */
export interface PathsOfFrontend {
  readonly home: KnownPaths;
  readonly sandbox: KnownPaths;
}

export function pathsOf(
  { sandbox }: Pick<Namespace, 'sandbox'>,
  { paths }: { readonly paths: PathsOfFrontend },
): KnownPaths {
  return sandbox === undefined ? paths.home : paths.sandbox;
}
