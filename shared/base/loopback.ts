// Detects loopback addresses and loopback host names.
import { BlockList, isIP } from 'node:net';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
const loopbackIpv6 = '::1';

/** 127.0.0.0/8 and ::1, in their plain forms only. */
export function isLoopback(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return loopback.check(address, 'ipv4');
    case 6:
      return address === loopbackIpv6 || /^(?:0{1,4}:){7}0{0,3}1$/.test(address);
    default:
      return false;
  }
}

/** Whether the server's own bind address is loopback: `localhost` or a loopback address. */
export function bindsToLoopback(host: string): boolean {
  return host.toLowerCase() === 'localhost' || isLoopback(host.replace(/^\[|\]$/g, ''));
}

/** `hostname` of a URL: `localhost`, `127.x.y.z` or `[::1]`. */
export function isLoopbackName(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname);
}

/** The loopback hosts that need no operator's permission: `localhost`, `127.0.0.1` and `::1`, without brackets. */
export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || host === '127.0.0.1' || host === loopbackIpv6;
}
