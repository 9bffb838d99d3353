// Which addresses are those of an instance. A client that went by discovery has them under the issuer, which need not be
// where the instance listens: what is asked there reaches it all the same.
import { IdpError } from './errors.ts';
import type { Idp } from './types.ts';

export type Place = Pick<Idp, 'url' | 'issuer'>;

/** Where to connect for an address below the base or the issuer; undefined: it is somebody else's. */
export function reachedAt({ href }: URL, { url, issuer }: Place): URL | undefined {
  const rest = restBelow(url, href) ?? restBelow(issuer.replace(/\/+$/, ''), href);
  return rest === undefined ? undefined : new URL(url + rest);
}

/**
 * Where to connect for the address that a test passes to `login`; a path is one below the base, in a sandbox too.
 * @throws IdpError invalid_option for any other place, a neighbouring sandbox included: a password must not go there
 */
export function ownAddress(given: string, place: Place): URL {
  const { origin, pathname } = new URL(place.url);
  const isFromRoot = restBelow(pathname, given) !== undefined && pathname !== '/';
  const isWhole = /^(?:[a-z][a-z\d+.-]*:|\/\/)/i.test(given);
  const text = isWhole ? given : isFromRoot ? origin + given : `${place.url}/${given.replace(/^\//, '')}`;
  const address = URL.canParse(text) ? new URL(text) : undefined;
  const reached = address && reachedAt(address, place);
  if (reached !== undefined) return reached;
  throw new IdpError('invalid_option', `url must be a URL of this instance (${place.url}).`);
}

function restBelow(base: string, address: string): string | undefined {
  return address === base || ['/', '?'].some((next) => address.startsWith(base + next))
    ? address.slice(base.length)
    : undefined;
}
