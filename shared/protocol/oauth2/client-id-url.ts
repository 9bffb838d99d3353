// A client_id that is the https address of a metadata document. Checks the form of the address on the text as sent
// (CMD-04). Nothing is normalised, because the document must repeat the text exactly (CMD-11).
import { isAbsoluteUri } from './absolute-uri.ts';

export interface ClientIdUrl {
  readonly clientId: string;
  /** Lower case, without the brackets of an IPv6 literal and without a trailing dot. */
  readonly host: string;
  readonly port: number;
  /** Host and port as sent, for the Host header. */
  readonly authority: string;
  /** Path and query as sent. */
  readonly target: string;
}

const scheme = 'https://';

/** The parts of the address, or the reason why it is rejected without a fetch. */
export function parseClientIdUrl(clientId: string): ClientIdUrl | string {
  if (!clientId.startsWith(scheme)) return 'it does not begin with https://';
  // The grammar already excludes white space, control and non-ASCII characters, backslashes and fragments.
  if (!isAbsoluteUri(clientId)) return 'it is not an absolute ASCII URI without fragment and whitespace';
  const rest = clientId.slice(scheme.length);
  const end = rest.search(/[/?]/);
  const authority = end < 0 ? rest : rest.slice(0, end);
  const target = end < 0 ? '' : rest.slice(end);
  if (authority.includes('@')) return 'it contains userinfo';
  if (!target.startsWith('/')) return 'its path is empty';
  if (hasDotSegment(target)) return 'its path has a . or .. segment';
  const place = parseHostAndPort(authority);
  return place === undefined ? 'it has no valid host and port' : { clientId, ...place, authority, target };
}

/**
 * Whether the operator allows this host and port. The comparison is exact, but ignores case and a trailing dot. An
 * entry without a port means 443 (CMD-03).
 */
export function isAllowedHost(url: Pick<ClientIdUrl, 'host' | 'port'>, allowedHosts: readonly string[]): boolean {
  return allowedHosts.some((entry) => {
    const place = parseHostAndPort(entry.trim());
    return place !== undefined && place.host === url.host && place.port === url.port;
  });
}

function parseHostAndPort(authority: string): { host: string; port: number } | undefined {
  const match = /^(\[[^\]]*\]|[^:]*)(?::([0-9]*))?$/.exec(authority);
  if (match === null) return undefined;
  const host = (match[1] ?? '')
    .replace(/^\[|\]$/g, '')
    .toLowerCase()
    .replace(/\.$/, '');
  const port = match[2] === undefined || match[2] === '' ? 443 : Number(match[2]);
  return host === '' || port < 1 || port > 65535 ? undefined : { host, port };
}

/** Percent-encoded dots count as dots, because a proxy may decode them. */
function hasDotSegment(target: string): boolean {
  const path = target.split('?', 1)[0] ?? '';
  return path.split('/').some((segment) => {
    const plain = segment.replaceAll(/%2e/gi, '.');
    return plain === '.' || plain === '..';
  });
}
