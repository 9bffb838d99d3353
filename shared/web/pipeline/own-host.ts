// Runs before the method is chosen: the web UI, the REST API and exports respond only under the server's own names
// (D42). A foreign name that resolves to this server (DNS rebinding) makes a page of that name same-origin with them,
// so that neither CORS nor Sec-Fetch-Site stops it. When the server is bound to loopback, its own names are those of
// this machine. When it is bound to more, they are the names that no website can have, unless a management secret
// guards the server. Protocol endpoints use the Host as section ISS says.

import { bindsToLoopback, isLoopbackName } from '#shared/base/loopback.ts';
import { isValidHost } from '#shared/engine/exchange/origin.ts';
import { json, type Reply } from '#shared/engine/exchange/reply.ts';
import type { ConfigurationSnapshot } from '#shared/model/configuration/configuration-snapshot.ts';
import { managementRefusals } from '#shared/model/refusals/families/management.ts';
import { refused } from '#shared/model/refusals/refusal.ts';
import { isLocalName } from '#shared/protocol/local-names.ts';
import type { RoutedExchange } from './exchange.ts';
import { pageForBrowser } from './page-for-browser.ts';

/** Rejects a Host that is not one of the server's own, for a route that belongs to this machine. */
export function refuseForeignHost(exchange: RoutedExchange): Reply | undefined | Promise<Reply | undefined> {
  const { boundHost } = exchange.frontend.services;
  if (exchange.route.hosts === 'every' || boundHost === undefined) return undefined;
  return refuseUnlessOwn(exchange, boundHost);
}

async function refuseUnlessOwn(exchange: RoutedExchange, boundHost: string): Promise<Reply | undefined> {
  const { services, rules } = exchange.frontend;
  const { configuration } = services;
  const { host: sent } = exchange.message.headers;
  if (bindsToLoopback(boundHost)) {
    // The header itself: a page can set X-Forwarded-Host, but never Host.
    if (sent === undefined || isNameOfThisMachine(sent)) return undefined;
    if (isDeclared(sent, await configuration.refreshed())) return undefined;
    const row = managementRefusals.host_not_allowed;
    return asReply(row, row.answer, exchange);
  }
  // A proxy may replace Host. Then the browser's name is in the forwarded header.
  const named = { Host: sent, 'X-Forwarded-Host': rules.forwardedHostOf(exchange.message) };
  for (const [header, host] of Object.entries(named)) {
    if (host === undefined || isNameOfNoWebsite(host, boundHost)) continue;
    const snapshot = await configuration.refreshed();
    if (snapshot.managementSecret !== undefined || isDeclared(host, snapshot)) continue;
    const row = managementRefusals.host_of_a_website;
    return asReply(row, refused(row, { header }).message, exchange);
  }
  return undefined;
}

function asReply(
  { status, kind }: { readonly status: number; readonly kind: string },
  sentence: string,
  exchange: RoutedExchange,
): Reply {
  const reply = json(status, { error: sentence, kind });
  return pageForBrowser(reply, exchange, { title: 'Not at this address', sentence });
}

function isNameOfThisMachine(host: string): boolean {
  const name = nameOfHost(host);
  return name !== undefined && (isLoopbackName(name) || name.endsWith('.localhost'));
}

/** `boundHost` may be a name: then `server.host` declares it. */
function isNameOfNoWebsite(host: string, boundHost: string): boolean {
  const name = nameOfHost(host);
  return name !== undefined && (isLocalName(name) || name === nameOfHost(boundHost));
}

/**
 * Whether the configuration names the host: of the issuer, of the published addresses, of an allowed issuer, or in
 * `server.allowed_hosts`.
 */
function isDeclared(host: string, { settings: { oauth, server } }: ConfigurationSnapshot): boolean {
  const name = nameOfHost(host);
  if (name === undefined) return false;
  return (
    name === nameOf(oauth.issuer) ||
    name === nameOf(oauth.base_url ?? '') ||
    oauth.issuer_allowlist.some((origin) => name === nameOf(origin)) ||
    server.allowed_hosts.some((allowed) => allowed === host.toLowerCase() || allowed === name)
  );
}

function nameOfHost(host: string): string | undefined {
  return isValidHost(host) ? nameOf(`http://${host}`) : undefined;
}

/** The name as the URL Standard serializes it, without a trailing dot and without the port. */
function nameOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).hostname.replace(/\.$/, '') : undefined;
}
