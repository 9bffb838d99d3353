// Whether the addresses in discovery and SAML metadata lead to nobody: a client says then that the connection was refused, and the
// ready line names a place where the program does answer.

import { bindsToLoopback, isLoopbackName } from '#shared/base/loopback.ts';
import type { Settings } from '#shared/model/configuration/settings.ts';
import type { TcpAddress } from './tcp-address.ts';

/**
 * What to warn of at a start. undefined where the issuer may well lead here: it follows the request or a proxy, has a name that
 * somebody else answers for, or ports are mapped to an address beyond loopback. Port 0: a free one.
 */
export function issuerElsewhere({ oauth }: Pick<Settings, 'oauth'>, { host, port }: TcpAddress): string | undefined {
  if (oauth.issuer_from_request || oauth.issuer_from_proxy_headers || !bindsToLoopback(host)) return undefined;
  const { hostname, protocol, port: written } = new URL(oauth.issuer);
  const issuerPort = written === '' ? { 'http:': 80, 'https:': 443 }[protocol] : Number(written);
  if (!isLoopbackName(hostname) || issuerPort === port) return undefined;
  const here = port === 0 ? 'a free port' : `port ${port}`;
  return `oauth.issuer is ${oauth.issuer}, but this program listens on ${here}: unless a proxy stands there, nothing answers at the addresses that it publishes; set oauth.issuer, or oauth.issuer_from_request: true`;
}
