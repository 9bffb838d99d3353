// Resolves a host from outside once, checks its addresses and pins one, so that a second DNS response cannot replace it
// (CMD-05, CMD-06).
import { lookup as systemLookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { mayBeFetched } from './routable-address.ts';

/** All addresses of a name, in any order. Rejects when none exists. */
export type ResolveHost = (host: string) => Promise<readonly string[]>;

export interface AddressRules {
  /** Loopback addresses are allowed, too. */
  readonly allowLoopback: boolean;
  /** For tests. Default: the system's resolver. */
  readonly resolve?: ResolveHost | undefined;
}

/** The message continues the sentence "it cannot be fetched:". */
export class AddressRefusedError extends Error {}

/**
 * Every address must pass, and one is used. IPv4 is preferred, because there is only one attempt. `host` without
 * brackets.
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
  if (chosen === undefined) throw new AddressRefusedError('its host name has no address');
  return chosen;
}

export function pinnedLookup(address: string): LookupFunction {
  const family = isIP(address);
  return (_host, options, done) => {
    if (options.all === true) done(null, [{ address, family }]);
    else done(null, address, family);
  };
}

/** A resolver cannot be cancelled, so its late result is dropped. @throws the signal's reason */
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
