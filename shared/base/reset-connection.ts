// Ends a connection at once, whatever is still to be written on it.
import { Socket } from 'node:net';

/** Resets a connection, which also drops what the operating system still has to send. A local socket is closed. */
export function resetConnection(socket: Socket): void {
  const below = connectionBelow(socket);
  if (below.remoteAddress === undefined) socket.destroy();
  else below.resetAndDestroy();
}

/** Of TLS the connection that carries it. */
export function connectionBelow(socket: Socket): Socket {
  const below: unknown = Reflect.get(socket, '_parent');
  return below instanceof Socket ? below : socket;
}
