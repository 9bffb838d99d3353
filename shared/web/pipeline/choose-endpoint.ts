// Which endpoint of the route answers the method. HEAD comes with a GET that is safe, OPTIONS with every path
// (see answer-options.ts), any other method is 405 with `Allow` (HDR-20).

import { refusalReply } from '#shared/engine/exchange/refusal-reply.ts';
import { type Reply, withHeaders } from '#shared/engine/exchange/reply.ts';
import type { Endpoint } from '#shared/engine/exchange/request.ts';
import type { Route } from '#shared/engine/exchange/route.ts';
import type { ConfigurationSnapshot } from '#shared/model/configuration/configuration-snapshot.ts';
import { httpRefusals } from '#shared/model/refusals/families/http.ts';
import type { Exchange, FrontendParts } from './exchange.ts';
import { pageForBrowser } from './page-for-browser.ts';

/** The route with those of its methods that are served under this configuration. */
export function withServedMethods(route: Route, snapshot: ConfigurationSnapshot): Route {
  const served = Object.entries(route.methods).filter(
    ([method]) => servedWhile(route, method)?.isOn(snapshot) !== false,
  );
  return { ...route, methods: Object.fromEntries(served) };
}

function servedWhile({ servedWhile = {} }: Route, method: string) {
  return Object.hasOwn(servedWhile, method) ? servedWhile[method as keyof typeof servedWhile] : undefined;
}

/** The endpoint, or undefined for a method that the route does not serve. */
export function servingEndpoint(route: Route, method: string | undefined): Endpoint | undefined {
  const served = method === 'HEAD' && servesHead(route) ? 'GET' : (method ?? 'GET');
  return Object.hasOwn(route.methods, served) ? route.methods[served as keyof typeof route.methods] : undefined;
}

export function allowedMethods(route: Route): string {
  const head = servesHead(route) ? ['HEAD'] : [];
  return [...Object.keys(route.methods), ...head, 'OPTIONS'].join(', ');
}

/** Behind the gate of the route where it has one: who may not write learns nothing of the methods (RST-15). */
export function refuseMethod(route: Route, exchange: Exchange, parts: FrontendParts): Reply | Endpoint {
  const method = exchange.message.method ?? '';
  const allow = allowedMethods(route);
  const setting = servedWhile(route, method)?.setting;
  const refusal = withHeaders(refusalReply(httpRefusals.method_not_allowed, { method, allow, setting }), {
    Allow: allow,
  });
  const reply = pageForBrowser(refusal, route, exchange, parts, {
    title: 'Nothing to see here',
    sentence:
      method === 'GET'
        ? 'This address only takes what a form sends. Open the page of the form and send it from there.'
        : `${method} is not served here.`,
  });
  return route.gate === undefined || method === 'GET' ? reply : route.gate(async () => reply);
}

function servesHead(route: Route): boolean {
  return route.methods.GET !== undefined && route.getHasEffects !== true;
}
