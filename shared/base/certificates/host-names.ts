// The names that a server certificate may contain: host names, wildcard names (`*.` prefix) and IP addresses.
import { isIP } from 'node:net';

const label = '[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?';
const hostName = new RegExp(`^(?:\\*\\.)?${label}(?:\\.${label})*$`);

/**
 * Lower case. IPv6 addresses in their shortest form, without brackets. undefined: no name that a certificate may
 * contain.
 */
export function certificateName(text: string): string | undefined {
  const bare = text
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
  if (isIP(bare) === 6) return new URL(`http://[${bare}]`).hostname.slice(1, -1);
  if (isIP(bare) === 4) return bare;
  // Browsers read every name that ends in a number as an address, and this one is no valid address.
  return bare.length <= 253 && hostName.test(bare) && !/(?:^|\.)[0-9]+$/.test(bare) ? bare : undefined;
}

/** The 4 or 16 bytes of an address. undefined for a name. */
export function addressBytes(text: string): Buffer | undefined {
  if (isIP(text) === 4) return Buffer.from(text.split('.').map(Number));
  if (isIP(text) !== 6) return undefined;
  // The URL Standard writes the last 32 bits as two groups, even if they were given in dotted form.
  const [head = '', tail] = new URL(`http://[${text}]`).hostname.slice(1, -1).split('::');
  const groupsOf = (part: string) => (part === '' ? [] : part.split(':'));
  const [before, after] = [groupsOf(head), groupsOf(tail ?? '')];
  const groups = [...before, ...Array<string>(8 - before.length - after.length).fill('0'), ...after];
  return Buffer.concat(groups.map((group) => Buffer.from(group.padStart(4, '0'), 'hex')));
}
