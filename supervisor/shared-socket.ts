// A listening socket that the supervisor owns and its workers serve. The supervisor only binds it. It never listens or
// accepts, so no connection ends in a process that does not respond. Workers get the handle, call listen(2) on it and
// accept from it directly. The supervisor keeps the socket open, so connections that arrive while no worker runs wait
// in its backlog (SUP-04; docs/decisions/0001). node:cluster cannot do this: it closes a shared socket with its last
// worker.
import { lookup } from 'node:dns/promises';
import * as net from 'node:net';
import { getSystemErrorName } from 'node:util';
import { addressError, type Remedies } from '#shared/process/worker/listen-here.ts';

export interface SharedSocket {
  readonly host: string;
  /** The port that was bound. */
  readonly port: number;
  /** Sent to workers with the `socket` order. */
  readonly handle: object;
  close(): void;
}

/** The methods of libuv's TCP handle that are used here. */
interface BoundHandle {
  getsockname(into: Record<string, unknown>): number;
  close(): void;
}

/** Binds the address. Port 0 takes a free one. @throws AddressError in one line naming the address */
export async function bindSharedSocket(
  host: string,
  port: number,
  remedies?: Partial<Remedies>,
): Promise<SharedSocket> {
  const address = await numericAddress(host, port, remedies);
  const handle = createHandle(address, port);
  if (typeof handle === 'number') throw addressError({ host, port }, errorCode(handle), { remedies });
  // bind(2) reports errors late: libuv keeps its error until the handle is first used.
  const name: Record<string, unknown> = {};
  const failure = handle.getsockname(name);
  if (failure !== 0 || typeof name.port !== 'number') {
    handle.close();
    throw addressError({ host, port }, errorCode(failure), { remedies });
  }
  return { host, port: name.port, handle, close: () => handle.close() };
}

async function numericAddress(host: string, port: number, remedies?: Partial<Remedies>): Promise<string> {
  if (net.isIP(host) !== 0) return host;
  try {
    return (await lookup(host)).address;
  } catch (error) {
    throw addressError({ host, port }, 'ENOTFOUND', { cause: error, remedies });
  }
}

/** A bound handle, or libuv's negative error number. node:cluster itself calls `_createServerHandle`. */
function createHandle(address: string, port: number): BoundHandle | number {
  const create: unknown = Reflect.get(net, '_createServerHandle');
  if (typeof create !== 'function')
    throw new Error('this version of Node.js cannot bind a socket without listening on it');
  const made: unknown = create(address, port, net.isIPv6(address) ? 6 : 4);
  if (typeof made === 'number' || isBoundHandle(made)) return made;
  throw new Error('this version of Node.js created a handle of an unknown kind');
}

function isBoundHandle(value: unknown): value is BoundHandle {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof Reflect.get(value, 'getsockname') === 'function' &&
    typeof Reflect.get(value, 'close') === 'function'
  );
}

function errorCode(errno: number): string | undefined {
  return errno < 0 ? getSystemErrorName(errno) : undefined;
}
