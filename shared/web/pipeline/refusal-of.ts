// The reply to an error of an exchange. It gives error-reply.ts what that needs of the exchange, and handles namespaces
// that ended.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { NextFunction } from 'express';
import type { AddressedRoute } from '#shared/engine/exchange/addressed-route.ts';
import type { Reply } from '#shared/engine/exchange/reply.ts';
import { NamespaceEndedError } from '#shared/state/store/namespace-id.ts';
import { answer } from './answer.ts';
import { isNotStored } from './choose-endpoint.ts';
import { errorReply } from './error-reply.ts';
import { type Exchange, exchangeOf, ownPathOf } from './exchange.ts';
import { ClientGoneError } from './incoming-request.ts';
import { pathsOf } from './known-paths.ts';
import { acceptsJson, unknownSandbox } from './page-for-browser.ts';

export function refusalOf(error: unknown, exchange: Exchange): Reply {
  const { message, requestId, namespace, path, recording, frontend } = exchange;
  if (error instanceof NamespaceEndedError && namespace.sandbox !== undefined) {
    return unknownSandbox(namespace.sandbox, exchange);
  }
  const route: Pick<AddressedRoute, 'path' | 'surface' | 'noStore'> = exchange.route ?? {
    path,
    surface: pathsOf(namespace, frontend).surfaceAround(path),
  };
  return errorReply(error, {
    ...{ route, requestId, log: namespace.log },
    noStore: isNotStored(route, message.method),
    renderErrorPage: (status, title, sentence) =>
      frontend.renderErrorPage(status, title, sentence, ownPathOf(exchange), recording?.requestId),
    acceptsJson: acceptsJson(message),
  });
}

/** The middleware for errors: Express recognizes it by its four parameters. */
export function answerError(
  error: unknown,
  request: IncomingMessage,
  _response: ServerResponse,
  _next: NextFunction,
): void | Promise<void> {
  const exchange = exchangeOf(request);
  if (error instanceof ClientGoneError) {
    const { namespace, requestId, route, path } = exchange;
    namespace.log.debug({ requestId, path: route?.path ?? path }, error.message);
    return;
  }
  return answer(refusalOf(error, exchange), exchange);
}
