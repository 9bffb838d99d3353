// A client_id that is the https address of a metadata document: what such an address may look like, judged as the text
// that was sent (CMD-04). Nothing is normalised, because the document must repeat the text literally (CMD-11).
import { isAbsoluteUri } from './absolute-uri.ts';

export interface ClientIdUrl {
  readonly clientId: string;
  /** Lower case, without brackets of an IPv6 literal and without a trailing dot. */
  readonly host: string;
  readonly port: number;
  /** Host and port as sent, for the Host header. */
  readonly authority: string;
  /** Path and query as sent. */
  readonly target: string;
}

const scheme = 'https://';

/** The parts of the address, or why it is refused without a fetch. */
export function parseClientIdUrl(clientId: string): ClientIdUrl | string {
  if (!clientId.startsWith(scheme)) return 'it does not begin with https://';
  // The grammar alone rules out white space, control and non-ASCII characters, backslashes and fragments.
  if (!isAbsoluteUri(clientId)) return 'it is not an absolute ASCII URI without fragment and white space';
  const rest = clientId.slice(scheme.length);
  const end = rest.search(/[/?]/);
  const authority = end < 0 ? rest : rest.slice(0, end);
  const target = end < 0 ? '' : rest.slice(end);
  if (authority.includes('@')) return 'it carries userinfo';
  if (!target.startsWith('/')) return 'its path is empty';
  if (hasDotSegment(target)) return 'its path has a . or .. segment';
  const place = parseHostAndPort(authority);
  return place === undefined ? 'it names no usable host and port' : { clientId, ...place, authority, target };
}

/**
 * Whether the operator allows this host and port: compared exactly, without regard to case or a trailing dot, 443 when
 * an entry names no port (CMD-03).
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

/** Percent-encoded dots count as dots: whoever is on the way may decode them. */
function hasDotSegment(target: string): boolean {
  const path = target.split('?', 1)[0] ?? '';
  return path.split('/').some((segment) => {
    const plain = segment.replaceAll(/%2e/gi, '.');
    return plain === '.' || plain === '..';
  });
}
