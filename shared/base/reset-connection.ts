// Ends a connection at once, even if data is still to be written.
import { Socket } from 'node:net';

/** Resets a connection, which also drops what the operating system still has to send. A local socket is closed. */
export function resetConnection(socket: Socket): void {
  const below = connectionBelow(socket);
  if (below.remoteAddress === undefined) socket.destroy();
  else below.resetAndDestroy();
}

/** Returns the connection below a TLS socket. */
export function connectionBelow(socket: Socket): Socket {
  const below: unknown = Reflect.get(socket, '_parent');
  return below instanceof Socket ? below : socket;
}
