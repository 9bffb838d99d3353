// Makes a server listen at one place, turning the errors of the operating system into one line that names the place.
import type { Server } from 'node:http';

export type Place =
  | { readonly host: string; readonly port: number }
  /** A Unix socket. */
  | { readonly path: string }
  /** A socket bound by the supervisor. */
  | { readonly handle: object };

export interface TcpAddress {
  readonly host: string;
  readonly port: number;
}

/** An address that cannot be listened on; the message names it and the remedy (CLI-10). */
export class AddressError extends Error {}

/** Resolves once the server listens, with the address asked for and the port it got (0: that of a path or handle). */
export function listenHere(server: Server, place: Place): Promise<TcpAddress> {
  return new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException) => reject(addressError(place, error.code, error));
    server.once('error', onError);
    server.listen('handle' in place ? place.handle : { ...place }, () => {
      server.off('error', onError);
      const bound = server.address();
      const port = typeof bound === 'object' && bound !== null ? bound.port : 0;
      resolve({ host: 'host' in place ? place.host : '', port });
    });
  });
}

/** One sentence for the codes of bind(2) and getaddrinfo(3) that people meet. */
export function addressError(place: Place, code: string | undefined, cause?: unknown): AddressError {
  const where = 'host' in place ? hostAndPort(place) : 'path' in place ? place.path : 'the socket of the supervisor';
  const sentences: Record<string, string> = {
    EADDRINUSE: `${where} is in use by another program; stop it or choose another address with --port (0 takes a free port) or server.port`,
    EACCES: `${where} may not be bound by this user; choose a port above 1023 with --port or server.port`,
    EADDRNOTAVAIL: `${where} is not an address of this machine; choose another with --host or server.host`,
    ENOTFOUND: `${where}: the host name is unknown; choose another with --host or server.host`,
  };
  return new AddressError(sentences[code ?? ''] ?? `cannot listen on ${where} (${code ?? 'unknown error'})`, { cause });
}

function hostAndPort({ host, port }: TcpAddress): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** The URL under which a browser on this machine reaches the address: loopback for the unspecified addresses. */
export function baseUrlOf({ host, port }: TcpAddress): string {
  const reachable = host === '0.0.0.0' || host === '' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${hostAndPort({ host: reachable, port })}`;
}
