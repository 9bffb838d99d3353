// Makes a server listen at one place, turning the errors of the operating system into one line that names the place.
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
 * How long a connection may be idle. A client whose process was held up for longer finds it closed under the request that
 * it has just sent: the default of Node.js, 5 s, is too little for a busy machine of CI.
 */
export const idleMillisecondsMax = 65_000;

/** An address that cannot be listened on; the message names it and the remedy (CLI-10). */
export class AddressError extends Error implements RefusesStart {
  readonly startRefusal: 'address_in_use' | 'address_unusable';

  constructor(message: string, { code, cause }: { readonly code: string | undefined; readonly cause: unknown }) {
    super(message, { cause });
    this.startRefusal = code === 'EADDRINUSE' ? 'address_in_use' : 'address_unusable';
  }
}

/** How the person who started this chooses another place, in the words of an error. */
export interface Remedies {
  readonly port: string;
  readonly host: string;
}

const commandLine: Remedies = { port: '--port or server.port', host: '--host or server.host' };

/** Resolves once the server listens, with the address asked for and the port it got (0: that of a path or handle). */
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
 * Who closes the own half of a connection (`nc -N`) still reads: without this switch of Node's, which has no type, the
 * request would be done and its answer thrown away (RFC 9112 §9.6).
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

/** What was sent first makes the client's machine reset the connection, what is sent next meets the reset. */
const probesAfterMilliseconds = [1_000, 1_200];

/**
 * A client that left looks like one that closed its half, until something is sent: the connection of the former is reset
 * then, and its request ends. Any client of HTTP/1.1 takes a 100 (RFC 9110 §15.2).
 */
function probe(response: ServerResponse): void {
  if (response.headersSent || response.destroyed) return;
  if (response.req.httpVersionMinor >= 1) response.writeContinue();
}

/** One sentence for the codes of bind(2) and getaddrinfo(3) that people meet. */
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
      `${where} is in use by another program; stop that one, or choose another port with ${another.port} (0 takes a free one)`,
    ],
    ['EACCES', `${where} may not be bound by this user; choose a port above 1023 with ${another.port}`],
    ['EADDRNOTAVAIL', `${where} is not an address of this machine; choose another with ${another.host}`],
    ['ENOTFOUND', `${where}: the host name is unknown; choose another with ${another.host}`],
  ]);
  const sentence = sentences.get(code ?? '') ?? `cannot listen on ${where} (${code ?? 'unknown error'})`;
  return new AddressError(sentence, { code, cause });
}
