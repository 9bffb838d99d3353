// Ends a server without losing a request: no new connections, every request that still arrives on an open connection is
// answered with `Connection: close`, connections that stay idle are closed, and what is left after the grace time is
// cut off (SUP-09).
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as NetServer } from 'node:net';

/** A client that keeps its connection alive may be about to use it; after this long it is closed as idle. */
const idleMilliseconds = 100;
const lookAgainMilliseconds = 50;

/** Resolves when no connection is left, after `graceMilliseconds` at the latest. */
export async function drainServer(server: Server, graceMilliseconds: number): Promise<void> {
  server.prependListener('request', (_request: IncomingMessage, response: ServerResponse) => {
    response.setHeader('Connection', 'close');
  });
  // One more turn of the event loop: what the kernel has already accepted for us is accepted before the door closes.
  await new Promise((resolve) => setImmediate(resolve));
  await new Promise<void>((resolve) => {
    let look: NodeJS.Timeout | undefined;
    const closeIdle = () => {
      server.closeIdleConnections();
      look = setTimeout(closeIdle, lookAgainMilliseconds);
    };
    look = setTimeout(closeIdle, idleMilliseconds);
    const cutOff = setTimeout(() => server.closeAllConnections(), graceMilliseconds);
    // Not http's own close, which closes idle connections at once, under the feet of clients that are about to write.
    NetServer.prototype.close.call(server, () => {
      clearTimeout(look);
      clearTimeout(cutOff);
      resolve();
    });
  });
}
