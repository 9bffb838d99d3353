// Which addresses a request from outside can make this server call (CMD-05, CMD-06): only globally routable ones, by
// the IANA registries of special-purpose addresses. Forms that contain an IPv4 address (IPv4-mapped, NAT64, 6to4,
// Teredo) are all rejected, so that they cannot hide a private address.
import { BlockList, isIP } from 'node:net';
import { isLoopback } from '#shared/base/loopback.ts';

const reserved = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const) {
  reserved.addSubnet(network, prefix, 'ipv4');
}

/** All of IPv6 that is allocated for global unicast. Every other range has a special purpose. */
const globalUnicast = new BlockList();
globalUnicast.addSubnet('2000::', 3, 'ipv6');

const reservedWithinGlobalUnicast = new BlockList();
for (const [network, prefix] of [
  ['2001::', 23], // protocol assignments: Teredo, benchmarking, ORCHID
  ['2001:db8::', 32],
  ['2002::', 16], // 6to4
  ['3fff::', 20],
] as const) {
  reservedWithinGlobalUnicast.addSubnet(network, prefix, 'ipv6');
}

export function isGloballyRoutable(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !reserved.check(address, 'ipv4');
    case 6:
      // A zone identifies an interface of this machine.
      if (address.includes('%')) return false;
      return globalUnicast.check(address, 'ipv6') && !reservedWithinGlobalUnicast.check(address, 'ipv6');
    default:
      return false;
  }
}

/** Whether a fetch may go there. `allowLoopback` is the development exception (CMD-06). */
export function mayBeFetched(address: string, allowLoopback: boolean): boolean {
  return isGloballyRoutable(address) || (allowLoopback && isLoopback(address));
}
