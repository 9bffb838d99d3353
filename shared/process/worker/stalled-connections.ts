// Closes connections whose clients do not read. Unread responses stay in memory until the client reads them.
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { type Monotonic, type Stopwatch, systemStopwatch } from '#shared/base/clock.ts';
import { connectionBelow, resetConnection } from '#shared/base/reset-connection.ts';
import { openConnections } from './open-connections.ts';

interface Patience {
  readonly stalledMilliseconds: number;
  readonly lookEveryMilliseconds: number;
  readonly stopwatch: Stopwatch;
}

const usual: Patience = { stalledMilliseconds: 60_000, lookEveryMilliseconds: 5_000, stopwatch: systemStopwatch };

/**
 * Resets connections that accept no data for a minute, from now on. The server's connections must be recorded
 * (noteConnections).
 */
export function closeStalled(server: Server, patience: Patience = usual): void {
  const stalled = new WeakMap<Socket, { readonly taken: number; readonly since: Monotonic }>();
  const look = (socket: Socket) => {
    const { taken, left } = progressOf(socket);
    const known = stalled.get(socket);
    if (left === 0) stalled.delete(socket);
    else if (known?.taken !== taken) stalled.set(socket, { taken, since: patience.stopwatch.read() });
    else if (patience.stopwatch.since(known.since) >= patience.stalledMilliseconds) resetConnection(socket);
  };
  const timer = setInterval(() => {
    for (const socket of openConnections(server)) look(socket);
  }, patience.lookEveryMilliseconds);
  timer.unref();
  server.once('close', () => clearInterval(timer));
}

/**
 * How many bytes the operating system took, and how many wait for it. For one large write, Node.js reports nothing
 * before its end, but its handle does.
 */
function progressOf(socket: Socket): { readonly taken: number; readonly left: number } {
  const handle: unknown = Reflect.get(connectionBelow(socket), '_handle');
  const written = numberAt(handle, 'bytesWritten') ?? socket.bytesWritten;
  const queued = numberAt(handle, 'writeQueueSize') ?? socket.writableLength;
  return { taken: written - queued, left: queued + socket.writableLength };
}

function numberAt(owner: unknown, name: string): number | undefined {
  const value: unknown = typeof owner === 'object' && owner !== null ? Reflect.get(owner, name) : undefined;
  return typeof value === 'number' ? value : undefined;
}
