// Stops a server without losing a request (SUP-09). It accepts no new connections. Requests that still arrive on open
// connections get a response with `Connection: close`. Idle connections are closed, and the rest is cut off after the
// grace time.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { nextTick } from 'node:process';
import { connectDirectly } from '#shared/base/direct-connection.ts';
import { silentConnections } from './open-connections.ts';

/** A client with a keep-alive connection may be about to use it. After this time the connection is closed as idle. */
export const idleMilliseconds = 250;
const lookAgainMilliseconds = 50;
/** How many times the accept queue is checked until it is empty. */
const turnsMax = 50;

/**
 * Resolves when no connection is left, after `graceMilliseconds` at the latest. `idle`: how long an idle connection
 * stays open.
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
    // Node.js does not count a connection as idle before its first request. A connection that was silent at two checks
    // has no request on its way.
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
    // Timers run before the event loop reads arrived data. After a long turn, a connection may count as idle while its
    // request waits in the kernel. Immediates run after the read.
    const closeIdleIn = (milliseconds: number) => {
      look = setTimeout(() => setImmediate(closeIdle), milliseconds);
    };
    closeIdleIn(idle);
    const cutOff = setTimeout(() => server.closeAllConnections(), graceMilliseconds);
    // Not the close of http.Server: it closes idle connections at once, while their clients may be about to write.
    NetServer.prototype.close.call(server, () => {
      isClosed = true;
      clearTimeout(look);
      clearTimeout(cutOff);
      // Only a timer of the HTTP server is left to close. It would keep everything in memory that the server
      // references.
      server.close();
      resolve();
    });
  });
}

/**
 * When the socket closes, the kernel resets connections that are set up but not accepted, and their clients lose a
 * request. So the queue is shortened to one place, the shortest the kernel allows, and a connection of our own takes
 * that place. Once it is established, no other connection waits, and none can join before the socket closes. The kernel
 * makes clients retry, and then refuses their connections as intended. Resolves at that moment.
 *
 * A window of microseconds remains: a client whose handshake is half done at that moment believes that it is connected,
 * and is reset. Waiting until our own connection is accepted would not detect that either, and would free the place
 * again.
 */
async function emptyTheQueue(server: Server): Promise<void> {
  const address = server.address();
  callHandle(server, 'listen', 0);
  for (let turn = 0; turn < turnsMax; turn += 1) {
    // Two turns of the event loop: until the first setImmediate nothing is accepted.
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
    // A Unix socket needs no such connection: its clients are our own relays, which retry.
    if (typeof address === 'string' || address === null) return;
    const host = loopbackFor.get(address.address) ?? address.address;
    const visitor = connectDirectly({ host, port: address.port }).on('error', () => {});
    // The connection is requested in the next tick. On this machine it is established or waiting when that returns.
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

/**
 * Calls what `net` offers only on the handle of a server or socket: listen(2) again, and getpeername(2) while
 * connecting.
 */
function callHandle(owner: Server | Socket, method: 'listen' | 'getpeername', argument: unknown): unknown {
  const handle: unknown = Reflect.get(owner, '_handle');
  if (typeof handle !== 'object' || handle === null) return undefined;
  const called: unknown = Reflect.get(handle, method);
  return typeof called === 'function' ? called.call(handle, argument) : undefined;
}
