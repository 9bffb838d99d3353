// Turns a step of request handling into an Express middleware. The step responds to the request, or lets it continue.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { NextFunction, Request, Response, Router } from 'express';
import type { Reply } from '#shared/engine/exchange/reply.ts';
import { answer } from './answer.ts';
import { type Exchange, exchangeOf, type RoutedExchange, routed } from './exchange.ts';

/** undefined: the request continues. */
type Outcome = Reply | undefined;

/**
 * Typed as Node.js has them: Express adds to requests and responses what belongs to an application, and none exists
 * here.
 */
export type Middleware = (
  request: IncomingMessage,
  response: ServerResponse,
  next: NextFunction,
) => void | Promise<void>;

/** A stage before the routes, or after all of them. */
export function stage(run: (exchange: Exchange) => Outcome | Promise<Outcome>): Middleware {
  return (request, _response, next) => {
    const exchange = exchangeOf(request);
    const outcome = run(exchange);
    if (outcome instanceof Promise) return goOnUnlessAnswered(outcome, exchange, next);
    if (outcome !== undefined) return answer(outcome, exchange);
    next();
  };
}

/** A stage for requests whose path matches a route. */
export function routeStage(run: (exchange: RoutedExchange) => Outcome | Promise<Outcome>): Middleware {
  return stage((exchange) => run(routed(exchange)));
}

async function goOnUnlessAnswered(outcome: Promise<Outcome>, exchange: Exchange, next: NextFunction): Promise<void> {
  const reply = await outcome;
  if (reply !== undefined) return answer(reply, exchange);
  next();
}

/** Lets a router handle a request of Node.js. Its middlewares use only what a Node.js request has (`Middleware`). */
export function handle(router: Router, request: IncomingMessage, response: ServerResponse, next: NextFunction): void {
  router(request as Request, response as Response, next);
}
