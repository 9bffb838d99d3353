// Where a host is that somebody else named: resolved once, judged, and then pinned, so that a second DNS answer cannot swap it
// (CMD-05, CMD-06).
import { lookup as systemLookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { mayBeFetched } from './routable-address.ts';

/** All addresses of a name, in any order; rejects when there is none. */
export type ResolveHost = (host: string) => Promise<readonly string[]>;

export interface AddressRules {
  /** Loopback addresses are taken, too. */
  readonly allowLoopback: boolean;
  /** For tests; the system's resolver otherwise. */
  readonly resolve?: ResolveHost | undefined;
}

/** Its message goes on after "it cannot be fetched:". */
export class AddressRefusedError extends Error {}

/**
 * Every address must pass; one is used. IPv4 is preferred, since there is one attempt only. `host` without brackets.
 * @throws AddressRefusedError; what the resolver throws
 */
export async function allowedAddress(
  host: string,
  { resolve = resolveBySystem, allowLoopback }: AddressRules,
): Promise<string> {
  const addresses = isIP(host) === 0 ? await resolve(host) : [host];
  for (const address of addresses) {
    if (mayBeFetched(address, allowLoopback)) continue;
    throw new AddressRefusedError(`its host has the address ${address}, which is not globally routable`);
  }
  const chosen = addresses.find((address) => isIP(address) === 4) ?? addresses[0];
  if (chosen === undefined) throw new AddressRefusedError('its host has no address');
  return chosen;
}

export function pinnedLookup(address: string): LookupFunction {
  const family = isIP(address);
  return (_host, options, done) => {
    if (options.all === true) done(null, [{ address, family }]);
    else done(null, address, family);
  };
}

/** A resolver cannot be called off; its late answer is dropped. @throws the signal's reason */
export function withinBudget<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    work.then(resolve, reject);
  });
}

async function resolveBySystem(host: string): Promise<readonly string[]> {
  const found = await systemLookup(host, { all: true });
  return found.map(({ address }) => address);
}
