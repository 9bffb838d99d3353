// Names that no website has. Public DNS does not resolve them, so no page of the internet can be served under them.
import { isIP } from 'node:net';

/**
 * RFC 2606 and 6761 (`localhost`, `test`, `example`), RFC 6762 (`local`), and ICANN's private-use domain (`internal`).
 */
const localDomains = ['localhost', 'local', 'internal', 'test', 'example'] as const;

/** What `isLocalName` accepts, for messages. */
export const localNamesDescribed = `an IP address, a name without a dot, or a name below ${orList(localDomains.map((domain) => `.${domain}`))}`;

/** `hostname` of a URL, without the trailing dot: an address, a name without a dot, or a name below `localDomains`. */
export function isLocalName(hostname: string): boolean {
  return (
    isIP(hostname.replace(/^\[|\]$/g, '')) !== 0 ||
    !hostname.includes('.') ||
    localDomains.some((domain) => hostname.endsWith(`.${domain}`))
  );
}

function orList(words: readonly string[]): string {
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}
