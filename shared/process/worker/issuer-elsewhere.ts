// Checks whether the addresses in discovery and SAML metadata lead to no server. A client would then report a refused
// connection, while the ready line names an address where the program does respond.

import { bindsToLoopback, isLoopbackName } from '#shared/base/loopback.ts';
import type { Settings } from '#shared/model/configuration/settings.ts';
import type { TcpAddress } from './tcp-address.ts';

/**
 * The warning for a start. undefined where the issuer may lead here. That is the case when it follows the request or a
 * proxy, when its name may belong to another server, or when ports may be mapped to an address beyond loopback. Port 0:
 * any free port.
 */
export function issuerElsewhere({ oauth }: Pick<Settings, 'oauth'>, { host, port }: TcpAddress): string | undefined {
  // The published URLs do not begin with the issuer.
  if (oauth.base_url !== undefined) return undefined;
  if (oauth.issuer_from_request || oauth.issuer_from_proxy_headers || !bindsToLoopback(host)) return undefined;
  const { hostname, protocol, port: written } = new URL(oauth.issuer);
  const issuerPort = written === '' ? { 'http:': 80, 'https:': 443 }[protocol] : Number(written);
  if (!isLoopbackName(hostname) || issuerPort === port) return undefined;
  const here = port === 0 ? 'a free port' : `port ${port}`;
  return `oauth.issuer is ${oauth.issuer}, but this program listens on ${here}. Without a proxy, the published URLs do not work. Set oauth.issuer, or oauth.issuer_from_request: true`;
}
