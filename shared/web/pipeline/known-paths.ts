// Which paths there are, for those who ask without going there: a link that may lead nowhere, and the form of a 404.
import { type AddressedRoute, addressed } from '#shared/engine/exchange/addressed-route.ts';
import type { Surface } from '#shared/engine/exchange/audience.ts';
import type { Namespace } from '#shared/engine/exchange/namespace.ts';
import type { Route } from '#shared/engine/exchange/route.ts';

export class KnownPaths {
  readonly #routes = new Map<string, AddressedRoute>();

  /** @throws Error when two routes have one path. */
  constructor(routes: readonly Route[]) {
    for (const route of routes) {
      if (this.#routes.has(route.path)) throw new Error(`two routes for ${route.path}`);
      this.#routes.set(route.path, addressed(route));
    }
  }

  /** Whether something answers at this path; for paths without parameters. */
  has(path: string): boolean {
    return Object.keys(this.#routes.get(path)?.methods ?? {}).length > 0;
  }

  /** Of a path that matches no route: the surface of the nearest route above it, else that of pages (HDR-19). */
  surfaceAround(path: string): Surface {
    for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
      const route = this.#routes.get(path.slice(0, end));
      if (route !== undefined) return route.surface;
    }
    return 'page';
  }
}

/** What there is in the default identity provider, and in a sandbox. */
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
