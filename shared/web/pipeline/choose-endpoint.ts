// Chooses the endpoint of the route for the method. HEAD is served with a safe GET, OPTIONS on every path (see
// answer-options.ts). Any other method gets 405 with `Allow` (HDR-20).

import type { AddressedRoute } from '#shared/engine/exchange/addressed-route.ts';
import { refusalReply } from '#shared/engine/exchange/refusal-reply.ts';
import { type Reply, withHeaders } from '#shared/engine/exchange/reply.ts';
import type { Endpoint } from '#shared/engine/exchange/request.ts';
import type { Route } from '#shared/engine/exchange/route.ts';
import type { ConfigurationSnapshot } from '#shared/model/configuration/configuration-snapshot.ts';
import { httpRefusals } from '#shared/model/refusals/families/http.ts';
import { answerOptions } from './answer-options.ts';
import type { RoutedExchange } from './exchange.ts';
import { allowedMethods, servesHead } from './methods.ts';
import { notFound, pageForBrowser } from './page-for-browser.ts';

/**
 * A route that the configuration does not offer responds as if it did not exist. The configuration may also offer only
 * some of its methods.
 */
export function existsNow(exchange: RoutedExchange): undefined | Promise<Reply | undefined> {
  const { existsWhile, servedWhile } = exchange.route;
  return existsWhile === undefined && servedWhile === undefined ? undefined : existsUnder(exchange);
}

async function existsUnder(exchange: RoutedExchange): Promise<Reply | undefined> {
  const { route, namespace } = exchange;
  const snapshot = await namespace.configuration.refreshed();
  if (route.servedWhile !== undefined) exchange.route = withServedMethods(route, snapshot);
  return route.existsWhile?.(snapshot) === false ? notFound(exchange) : undefined;
}

/** The endpoint for the method. A method that is not served is rejected at once, or behind the gate of the route. */
export function chooseEndpoint(exchange: RoutedExchange): Reply | undefined {
  const { route, message } = exchange;
  const served = servingEndpoint(route, message.method);
  exchange.noStore = served !== undefined && isNotStored(route, message.method);
  const chosen = served ?? otherMethod(exchange);
  if (typeof chosen !== 'function') return chosen;
  exchange.endpoint = chosen;
  return undefined;
}

function otherMethod(exchange: RoutedExchange): Reply | Endpoint {
  return exchange.message.method === 'OPTIONS' ? answerOptions(exchange) : refuseMethod(exchange);
}

/** Whether responses of endpoints to this method must not be stored. */
export function isNotStored({ noStore }: Pick<Route, 'noStore'>, method: string | undefined): boolean {
  const served = method === 'HEAD' ? 'GET' : method;
  return noStore === true || noStore?.some((each) => each === served) === true;
}

/** The route with only the methods that this configuration serves. */
function withServedMethods(route: AddressedRoute, snapshot: ConfigurationSnapshot): AddressedRoute {
  const served = Object.entries(route.methods).filter(
    ([method]) => servedWhile(route, method)?.isOn(snapshot) !== false,
  );
  return { ...route, methods: Object.fromEntries(served) };
}

function servedWhile({ servedWhile = {} }: Route, method: string) {
  return Object.hasOwn(servedWhile, method) ? servedWhile[method as keyof typeof servedWhile] : undefined;
}

/** The endpoint, or undefined for a method that the route does not serve. */
function servingEndpoint(route: Route, method: string | undefined): Endpoint | undefined {
  const served = method === 'HEAD' && servesHead(route) ? 'GET' : (method ?? 'GET');
  return Object.hasOwn(route.methods, served) ? route.methods[served as keyof typeof route.methods] : undefined;
}

/**
 * Behind the gate of the route, if it has one: a caller without write access learns nothing about the methods (RST-15).
 */
function refuseMethod(exchange: RoutedExchange): Reply | Endpoint {
  const { route } = exchange;
  const method = exchange.message.method ?? '';
  const allow = allowedMethods(route);
  const setting = servedWhile(route, method)?.setting;
  const refusal = withHeaders(refusalReply(httpRefusals.method_not_allowed, { method, allow, setting }), {
    Allow: allow,
  });
  const reply = pageForBrowser(refusal, exchange, {
    title: 'This page only receives forms',
    sentence:
      method === 'GET'
        ? 'This address only accepts a submitted form. Open the page with the form and submit it there.'
        : `This address does not support ${method}.`,
  });
  return route.gate === undefined || method === 'GET' ? reply : route.gate(async () => reply);
}
