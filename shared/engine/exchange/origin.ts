// The address that a request was sent to (scheme and host as the client sees them) and the client's address. Forwarded
// headers count only if oauth.issuer_from_proxy_headers was active at the start. Only their last value counts, because
// the trusted hop wrote it (ISS-05, ISS-06).
import type { IncomingHttpHeaders } from 'node:http';
import { isIP, isIPv6 } from 'node:net';

/** A label may hold underscores, as the service names of Docker Compose do (RFC 3986 §3.2.2 allows them). */
const label = '[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?';
const hostPattern = new RegExp(`^(?:\\[([0-9A-Fa-f:.]+)\\]|${label}(?:\\.${label})*\\.?)(?::([0-9]{1,5}))?$`);

/** Whether the string is `host[:port]` (RFC 9110 §7.2); any other string never becomes an issuer (ISS-04). */
export function isValidHost(host: string): boolean {
  const match = hostPattern.exec(host);
  if (match === null || host.length > 260) return false;
  const [, literal, port] = match;
  if (literal !== undefined && !isIPv6(literal)) return false;
  return port === undefined || (Number(port) > 0 && Number(port) <= 65535);
}

function lastValue(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  const joined = Array.isArray(header) ? header.join(',') : header;
  const value = joined.slice(joined.lastIndexOf(',') + 1).trim();
  return value === '' ? undefined : value;
}

/**
 * Some proxies append a port to the address, or send no address at all, such as `unknown`. Then the peer's address
 * counts.
 */
function forwardedAddress(header: string | string[] | undefined): string | undefined {
  const written = lastValue(header) ?? '';
  const [, inBrackets, beforePort] = /^(?:\[([^\]]*)\](?::\d+)?|([^:]*):\d+)$/.exec(written) ?? [];
  const address = inBrackets ?? beforePort ?? written;
  return isIP(address) === 0 ? undefined : address;
}

/** The host that the one trusted hop reports. */
export function forwardedHost(headers: IncomingHttpHeaders, trustForwarded: boolean): string | undefined {
  return trustForwarded ? lastValue(headers['x-forwarded-host']) : undefined;
}

export interface RequestOrigin {
  /** For example `http://127.0.0.1:8000`, or undefined when the request has no valid Host. */
  readonly origin: string | undefined;
  readonly clientAddress: string | undefined;
}

/** `trustForwarded`: the one proxy hop is trusted. `scheme` and `peerAddress` are those of the connection itself. */
export function requestOrigin(
  headers: IncomingHttpHeaders,
  connection: { readonly scheme: 'http' | 'https'; readonly peerAddress: string | undefined },
  trustForwarded: boolean,
): RequestOrigin {
  const forwardedScheme = trustForwarded ? lastValue(headers['x-forwarded-proto'])?.toLowerCase() : undefined;
  const scheme = forwardedScheme === 'http' || forwardedScheme === 'https' ? forwardedScheme : connection.scheme;
  const host = forwardedHost(headers, trustForwarded) ?? headers.host;
  const address = (trustForwarded ? forwardedAddress(headers['x-forwarded-for']) : undefined) ?? connection.peerAddress;
  return {
    origin: host !== undefined && isValidHost(host) ? `${scheme}://${host}` : undefined,
    clientAddress: address?.startsWith('::ffff:') === true && address.includes('.') ? address.slice(7) : address,
  };
}
