// Makes a server listen at an address or socket. Turns errors of the operating system into one line that names the
// place.
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { RefusesStart } from '#shared/base/start-refusal.ts';
import { noteConnections } from './open-connections.ts';
import { handleInOrder, type RequestOrder } from './request-order.ts';
import { closeStalled } from './stalled-connections.ts';
import { hostAndPort, type TcpAddress } from './tcp-address.ts';

export type Place =
  | { readonly host: string; readonly port: number }
  /** A Unix socket. */
  | { readonly path: string }
  /** A socket that the supervisor has bound to that address. */
  | { readonly handle: object; readonly host: string; readonly port: number };

/**
 * How long a connection may be idle. When a client process was delayed for longer, its next request meets a closed
 * connection. The default of Node.js, 5 s, is too short for a busy CI machine.
 */
export const idleMillisecondsMax = 65_000;

/** An address that the server cannot listen on. The message names it and the remedy (CLI-10). */
export class AddressError extends Error implements RefusesStart {
  readonly startRefusal: 'address_in_use' | 'address_unusable';

  constructor(message: string, { code, cause }: { readonly code: string | undefined; readonly cause: unknown }) {
    super(message, { cause });
    this.startRefusal = code === 'EADDRINUSE' ? 'address_in_use' : 'address_unusable';
  }
}

/** How the person who started the program chooses another address, worded for an error message. */
export interface Remedies {
  readonly port: string;
  readonly host: string;
}

const commandLine: Remedies = { port: '--port or server.port', host: '--host or server.host' };

/** Resolves once the server listens, with the requested address and the port it got (0: that of a path or handle). */
export function listenHere(server: Server, place: Place, remedies: Partial<Remedies> = {}): Promise<TcpAddress> {
  answerHalfClosed(server, handleInOrder(server));
  noteConnections(server);
  closeStalled(server);
  return new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException) =>
      reject(addressError(place, error.code, { cause: error, remedies }));
    server.once('error', onError);
    server.listen('handle' in place ? place.handle : { ...place }, () => {
      server.off('error', onError);
      const bound = server.address();
      const port = typeof bound === 'object' && bound !== null ? bound.port : 0;
      resolve('host' in place && 'handle' in place ? place : { host: 'host' in place ? place.host : '', port });
    });
  });
}

/**
 * A client that closes its own half of a connection (`nc -N`) still reads. Without this switch of Node.js, which has no
 * type, the request would be handled and its response discarded (RFC 9112 §9.6).
 */
function answerHalfClosed(server: Server, order: RequestOrder): void {
  Reflect.set(server, 'httpAllowHalfOpen', true);
  server.on('setSecureContext' in server ? 'secureConnection' : 'connection', (socket: Socket) => {
    socket.once('end', () => {
      const response = order.current(socket);
      if (response === undefined || response.writableFinished) return;
      for (const milliseconds of probesAfterMilliseconds) setTimeout(probe, milliseconds, response).unref();
    });
  });
}

/** The first probe makes the client's machine reset the connection. The second one detects the reset. */
const probesAfterMilliseconds = [1_000, 1_200];

/**
 * A client that left looks like one that closed its half, until the server sends data. Then the connection of a client
 * that left is reset, and its request ends. Any HTTP/1.1 client accepts a 100 (RFC 9110 §15.2).
 */
function probe(response: ServerResponse): void {
  if (response.headersSent || response.destroyed) return;
  if (response.req.httpVersionMinor >= 1) response.writeContinue();
}

/** One sentence for each common code of bind(2) and getaddrinfo(3). */
export function addressError(
  place: Place,
  code: string | undefined,
  { cause, remedies = {} }: { readonly cause?: unknown; readonly remedies?: Partial<Remedies> | undefined } = {},
): AddressError {
  const where = 'host' in place ? hostAndPort(place) : place.path;
  const another = { ...commandLine, ...remedies };
  const sentences = new Map([
    [
      'EADDRINUSE',
      `${where} is in use by another program. Stop it, or choose another port with ${another.port} (0 selects a free port)`,
    ],
    ['EACCES', `this user is not allowed to bind ${where}. Choose a port above 1023 with ${another.port}`],
    ['EADDRNOTAVAIL', `${where} is not an address of this machine. Choose another with ${another.host}`],
    ['ENOTFOUND', `${where}: the host name is unknown. Choose another with ${another.host}`],
  ]);
  const sentence = sentences.get(code ?? '') ?? `cannot listen on ${where} (${code ?? 'unknown error'})`;
  return new AddressError(sentence, { code, cause });
}
