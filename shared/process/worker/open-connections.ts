// The open connections of a server. Node.js counts them but has no public list of them.
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

const connections = new WeakMap<Server, Set<Socket>>();

/** Records connections from now on: call it before the server listens. */
export function noteConnections(server: Server): void {
  const open = new Set<Socket>();
  connections.set(server, open);
  // With TLS, this is the socket that emits the server's events once the handshake is done.
  server.on('setSecureContext' in server ? 'secureConnection' : 'connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
}

/** All open connections of the server. */
export function openConnections(server: Server): Iterable<Socket> {
  return connections.get(server) ?? [];
}

/** Connections that have received no data yet: browsers and client pools open some in advance. */
export function silentConnections(server: Server): readonly Socket[] {
  return [...openConnections(server)].filter(({ bytesRead }) => bytesRead === 0);
}
