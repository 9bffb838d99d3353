// How a step that a request goes through becomes a middleware of Express: it answers the request, or lets it go on.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { NextFunction, Request, Response, Router } from 'express';
import type { Reply } from '#shared/engine/exchange/reply.ts';
import { answer } from './answer.ts';
import { type Exchange, exchangeOf, type RoutedExchange, routed } from './exchange.ts';

/** undefined: the request goes on. */
type Outcome = Reply | undefined;

/** Typed as Node.js has them: what Express adds to its requests and responses is the application's, and none is here. */
export type Middleware = (
  request: IncomingMessage,
  response: ServerResponse,
  next: NextFunction,
) => void | Promise<void>;

/** A stage that stands before the routes, or behind all of them. */
export function stage(run: (exchange: Exchange) => Outcome | Promise<Outcome>): Middleware {
  return (request, _response, next) => {
    const exchange = exchangeOf(request);
    const outcome = run(exchange);
    if (outcome instanceof Promise) return goOnUnlessAnswered(outcome, exchange, next);
    if (outcome !== undefined) return answer(outcome, exchange);
    next();
  };
}

/** A stage of requests whose path matches a route. */
export function routeStage(run: (exchange: RoutedExchange) => Outcome | Promise<Outcome>): Middleware {
  return stage((exchange) => run(routed(exchange)));
}

async function goOnUnlessAnswered(outcome: Promise<Outcome>, exchange: Exchange, next: NextFunction): Promise<void> {
  const reply = await outcome;
  if (reply !== undefined) return answer(reply, exchange);
  next();
}

/** Has a router handle a request of Node.js. Its middlewares use no more than that is (`Middleware`), so that nothing is missing. */
export function handle(router: Router, request: IncomingMessage, response: ServerResponse, next: NextFunction): void {
  router(request as Request, response as Response, next);
}
