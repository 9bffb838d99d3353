// Ends a server without losing a request: no new connections, every request that still arrives on an open connection is
// answered with `Connection: close`, connections that stay idle are closed, and what is left after the grace time is
// cut off (SUP-09).
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { nextTick } from 'node:process';
import { connectDirectly } from '#shared/base/direct-connection.ts';
import { silentConnections } from './open-connections.ts';

/** A client that keeps its connection alive may be about to use it; after this long it is closed as idle. */
export const idleMilliseconds = 250;
const lookAgainMilliseconds = 50;
/** How often it is tried to find nobody at the door. */
const turnsMax = 50;

/**
 * Resolves when no connection is left, after `graceMilliseconds` at the latest. `idle`: how long a connection that does
 * nothing is still waited for.
 */
export async function drainServer(server: Server, graceMilliseconds: number, idle = idleMilliseconds): Promise<void> {
  server.prependListener('request', (_request: IncomingMessage, response: ServerResponse) => {
    response.setHeader('Connection', 'close');
  });
  await emptyTheQueue(server);
  await new Promise<void>((resolve) => {
    let look: NodeJS.Timeout | undefined;
    let isClosed = false;
    let silent: ReadonlySet<Socket> = new Set();
    // To Node.js a connection is not idle before its first request. What was silent at two looks is no request on its way.
    const closeSilent = () => {
      const now = silentConnections(server);
      for (const socket of now) if (silent.has(socket)) socket.destroy();
      silent = new Set(now);
    };
    const closeIdle = () => {
      if (isClosed) return;
      server.closeIdleConnections();
      closeSilent();
      closeIdleIn(lookAgainMilliseconds);
    };
    // Timers come before what has arrived is read: after a turn that was long, a connection may have a request in the
    // kernel and count as idle. Immediates come after it.
    const closeIdleIn = (milliseconds: number) => {
      look = setTimeout(() => setImmediate(closeIdle), milliseconds);
    };
    closeIdleIn(idle);
    const cutOff = setTimeout(() => server.closeAllConnections(), graceMilliseconds);
    // Not http's own close, which closes idle connections at once, under the feet of clients that are about to write.
    NetServer.prototype.close.call(server, () => {
      isClosed = true;
      clearTimeout(look);
      clearTimeout(cutOff);
      // It has nothing left to close but a timer of its own, which would hold all that the server serves.
      server.close();
      resolve();
    });
  });
}

/**
 * A connection that the kernel has set up and nobody has accepted is reset when the socket closes, and its client takes
 * that for a lost request. So the queue is made as short as the kernel allows, which is one, and its only place is taken
 * by a visitor of our own: once it is let in, nobody else can be waiting, and until the door is closed nobody can come
 * (the kernel makes them try again, and then they are refused, as they should be). Resolves at that moment.
 *
 * What remains are microseconds: a client whose handshake is half done when the visitor comes believes that it is let in,
 * and is reset. Waiting until the visitor is accepted would not tell of it either, and would free the place again.
 */
async function emptyTheQueue(server: Server): Promise<void> {
  const address = server.address();
  callHandle(server, 'listen', 0);
  for (let turn = 0; turn < turnsMax; turn += 1) {
    // Two turns of the event loop: between now and the first setImmediate nothing is accepted.
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
    // A Unix socket has no such visitor, and its clients are our own relays, which try again.
    if (typeof address === 'string' || address === null) return;
    const host = loopbackFor.get(address.address) ?? address.address;
    const visitor = connectDirectly({ host, port: address.port }).on('error', () => {});
    // The connection is asked for in the next tick; on this machine it is there, or left waiting, when that returns.
    await new Promise<void>((resolve) => nextTick(resolve));
    const admitted = callHandle(visitor, 'getpeername', {}) === 0;
    setImmediate(() => visitor.destroy());
    if (admitted) return;
  }
}

const loopbackFor: ReadonlyMap<string, string> = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
]);

/** What `net` offers on the handle of a server or socket only: listen(2) once more, and getpeername(2) while connecting. */
function callHandle(owner: Server | Socket, method: 'listen' | 'getpeername', argument: unknown): unknown {
  const handle: unknown = Reflect.get(owner, '_handle');
  if (typeof handle !== 'object' || handle === null) return undefined;
  const called: unknown = Reflect.get(handle, method);
  return typeof called === 'function' ? called.call(handle, argument) : undefined;
}
