// The connections that a server has, which Node.js counts but does not hand out.
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

const connections = new WeakMap<Server, Set<Socket>>();

/** From now on: call it before the server listens. */
export function noteConnections(server: Server): void {
  const open = new Set<Socket>();
  connections.set(server, open);
  // Of a connection with TLS the socket that hears what was meant for the server, once the handshake is done.
  server.on('setSecureContext' in server ? 'secureConnection' : 'connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
}

/** All of them. */
export function openConnections(server: Server): Iterable<Socket> {
  return connections.get(server) ?? [];
}

/** Those on which nothing has arrived yet: browsers open some in advance, and pools of clients. */
export function silentConnections(server: Server): readonly Socket[] {
  return [...openConnections(server)].filter(({ bytesRead }) => bytesRead === 0);
}
