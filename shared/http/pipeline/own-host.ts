// Before the method: what belongs to this machine alone answers at names of this machine alone (D42). A name that
// somebody else's DNS points to loopback (DNS rebinding) makes a page of that name same-origin with the web UI and the
// REST API, so that neither CORS nor Sec-Fetch-Site stops it. Protocol endpoints go by the Host as section ISS says.
import type { ConfigurationSnapshot } from '#shared/configuration/configuration-snapshot.ts';
import { bindsToLoopback, isLoopbackName } from '#shared/loopback.ts';
import { managementRefusals } from '#shared/refusals/families/management.ts';
import { isValidHost } from '../origin.ts';
import { json, type Reply } from '../reply.ts';
import { belongsToThisMachine, type Route } from '../route.ts';
import type { Exchange, FrontendParts } from './exchange.ts';
import { pageForBrowser } from './page-for-browser.ts';

const refusal = managementRefusals.host_not_allowed;

/** The refusal of a Host that is none of the server's own, while the server is bound to loopback. */
export function refuseForeignHost(route: Route, exchange: Exchange, parts: FrontendParts): Reply | undefined {
  const { boundHost, configuration } = parts.services;
  if (!belongsToThisMachine(route) || boundHost === undefined || !bindsToLoopback(boundHost)) return undefined;
  // The header itself: a page may set X-Forwarded-Host, but never Host.
  const { host } = exchange.message.headers;
  if (host === undefined || isOwnHost(host, configuration.peek())) return undefined;
  const reply = json(refusal.status, { error: refusal.answer, kind: refusal.kind });
  const words = { title: 'Not at this address', sentence: refusal.answer };
  return pageForBrowser(reply, route, exchange, parts, words);
}

function isOwnHost(host: string, { settings: { oauth, server } }: ConfigurationSnapshot): boolean {
  if (!isValidHost(host)) return false;
  const name = nameOf(`http://${host}`);
  if (name === undefined) return false;
  return (
    isLoopbackName(name) ||
    name.endsWith('.localhost') ||
    name === nameOf(oauth.issuer) ||
    oauth.issuer_allowlist.some((origin) => name === nameOf(origin)) ||
    server.allowed_hosts.some((allowed) => allowed === host.toLowerCase() || allowed === name)
  );
}

/** As the URL Standard spells it, without the dot of a whole name; the port does not matter. */
function nameOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).hostname.replace(/\.$/, '') : undefined;
}
