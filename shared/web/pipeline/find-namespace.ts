// Where a path lies: in the default identity provider, or in a sandbox below it (SBX-17).
import type { Place, UnknownPlace } from '#shared/engine/exchange/namespace.ts';
import { type Exchange, exchangeOf } from './exchange.ts';
import { PinnedClock } from './pinned-clock.ts';
import type { Middleware } from './stage.ts';

/** A sandbox that does not exist is refused once the path inside it has been looked at, whose form the refusal has. */
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

/** Requests that another process answers are its own to check. It gets them as they came. */
export const relay: Middleware = (request, response, next) => {
  const { frontend, path, unknownSandbox } = exchangeOf(request);
  const isTaken = unknownSandbox === undefined && frontend.relay?.(path, request, response) === true;
  if (!isTaken) next();
};

/** From here on Express matches the path inside the namespace. */
export const matchInside: Middleware = (request, _response, next) => {
  request.url = matchable(exchangeOf(request).path);
  next();
};

const namesNothing = '//';

/**
 * The path as Express has to be given it. Express ends a path at `#`, which no client sends but as part of one, and takes a
 * path that cannot be decoded (`%zz`) for a fault, where it names nothing.
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
