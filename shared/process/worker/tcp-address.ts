// Listening addresses as strings. A module of its own, so that small commands load no more than this (PKG-29).
import { isIPv6 } from 'node:net';

export interface TcpAddress {
  readonly host: string;
  readonly port: number;
}

/** `host:port`, with the brackets that an IPv6 address needs. */
export function hostAndPort({ host, port }: TcpAddress): string {
  return `${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

/** The URL under which a browser on this machine reaches the address: loopback for the unspecified addresses. */
export function baseUrlOf({ host, port }: TcpAddress, scheme: 'http' | 'https' = 'http'): string {
  const reachable = host === '0.0.0.0' || host === '' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `${scheme}://${hostAndPort({ host: reachable, port })}`;
}
