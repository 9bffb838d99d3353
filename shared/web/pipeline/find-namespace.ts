// Finds the namespace of a path: the default identity provider, or a sandbox below it (SBX-17).
import type { Place, UnknownPlace } from '#shared/engine/exchange/namespace.ts';
import { type Exchange, exchangeOf } from './exchange.ts';
import { PinnedClock } from './pinned-clock.ts';
import type { Middleware } from './stage.ts';

/**
 * A request to an unknown sandbox is rejected once its inner path is matched, because that path decides the form of the
 * rejection.
 */
export function findNamespace(exchange: Exchange): undefined | Promise<undefined> {
  const found = exchange.frontend.namespaces.find(exchange.target.path);
  if (found instanceof Promise) return found.then((place) => enter(place, exchange));
  return enter(found, exchange);
}

function enter(place: Place | UnknownPlace, exchange: Exchange): undefined {
  exchange.path = place.path;
  if ('unknown' in place) {
    exchange.unknownSandbox = place.unknown;
    return;
  }
  if (place.namespace !== exchange.namespace) {
    exchange.namespace = place.namespace;
    exchange.clock = new PinnedClock(place.namespace);
  }
  exchange.tellsClock = true;
}

/** Another process checks the requests that it serves. It gets them unchanged. */
export const relay: Middleware = (request, response, next) => {
  const { frontend, path, unknownSandbox } = exchangeOf(request);
  const isTaken = unknownSandbox === undefined && frontend.relay?.(path, request, response) === true;
  if (!isTaken) next();
};

/** After this, Express matches the path inside the namespace. */
export const matchInside: Middleware = (request, _response, next) => {
  request.url = matchable(exchangeOf(request).path);
  next();
};

const namesNothing = '//';

/**
 * The path in the form that Express needs. Express ends a path at `#`, which clients send only as part of one. It
 * treats a path that cannot be decoded (`%zz`) as an error, although it only names nothing.
 */
function matchable(path: string): string {
  if (!path.startsWith('/') || !isDecodable(path)) return namesNothing;
  return path.replaceAll('#', '%23');
}

function isDecodable(path: string): boolean {
  if (!path.includes('%')) return true;
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
