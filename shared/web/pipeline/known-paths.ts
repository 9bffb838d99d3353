// The paths that exist, for code that does not send a request to them: a link that may lead nowhere, and the form of a
// 404.
import { type AddressedRoute, addressed } from '#shared/engine/exchange/addressed-route.ts';
import type { Surface } from '#shared/engine/exchange/audience.ts';
import type { Namespace } from '#shared/engine/exchange/namespace.ts';
import type { Route } from '#shared/engine/exchange/route.ts';
import { readSandboxPath } from '#shared/model/domain/sandbox.ts';

export class KnownPaths {
  readonly #routes = new Map<string, AddressedRoute>();
  readonly #firstSegments = new Set(['', 's', 'saml']);

  /** @throws Error when two routes have the same path. */
  constructor(routes: readonly Route[]) {
    for (const route of routes) {
      if (this.#routes.has(route.path)) throw new Error(`two routes for ${route.path}`);
      this.#routes.set(route.path, addressed(route));
      this.#firstSegments.add(firstSegmentOf(route.path));
    }
  }

  /** Whether a route serves this path. For paths without parameters. */
  has(path: string): boolean {
    return Object.keys(this.#routes.get(path)?.methods ?? {}).length > 0;
  }

  /** Whether the path begins as a path of this server does, so that it needs no base path before it. */
  isAtRoot(path: string): boolean {
    if (path.startsWith('/.well-known/')) return this.#routes.has(path) || readSandboxPath(path) !== undefined;
    return this.#firstSegments.has(firstSegmentOf(path));
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

function firstSegmentOf(path: string): string {
  const end = path.indexOf('/', 1);
  return path.slice(1, end < 0 ? undefined : end);
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
