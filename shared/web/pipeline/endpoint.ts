// The last stages: the faults that a tester has set, and the endpoint itself, which is a function from request and
// context to a reply.
import type { Reply } from '#shared/engine/exchange/reply.ts';
import type { Endpoint, ManagementContext, ParsedRequest } from '#shared/engine/exchange/request.ts';
import { answerWithFaults, faultsAt } from './apply-faults.ts';
import type { RoutedExchange } from './exchange.ts';
import { ClientGoneError } from './incoming-request.ts';
import { finished } from './read-request.ts';
import { refusalOf } from './refusal-of.ts';

/** Runs only while faults are set at this endpoint. A fault may replace the endpoint or change its reply (FLT-15). */
export function applyFaults(exchange: RoutedExchange): Promise<Reply> | undefined {
  const { endpoint, request, context } = prepared(exchange);
  const faults = faultsAt(exchange.route, context);
  if (faults === undefined) return undefined;
  const { frontend, response } = exchange;
  return answerWithFaults(faults, endpoint, request, context, {
    ...{ held: frontend.wire.held, readFacts: frontend.readFacts },
    finished: (reply) => finished(reply, exchange),
    replyOf: (error) => {
      if (error instanceof ClientGoneError) throw error;
      return refusalOf(error, exchange);
    },
    onceSent: (callback) => {
      response.once('close', callback);
    },
  });
}

export function callEndpoint(exchange: RoutedExchange): Promise<Reply> {
  const { endpoint, request, context } = prepared(exchange);
  return endpoint(request, context).then((reply) => finished(reply, exchange));
}

interface Prepared {
  readonly endpoint: Endpoint;
  readonly request: ParsedRequest;
  readonly context: ManagementContext;
}

function prepared({ endpoint, request, context }: RoutedExchange): Prepared {
  if (endpoint === undefined || request === undefined || context === undefined) {
    throw new Error('an endpoint was asked before its request was read');
  }
  return { endpoint, request, context };
}
