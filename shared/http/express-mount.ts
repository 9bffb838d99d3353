// Express finds routes with path parameters; it decides nothing else. Loaded late, since the hot paths do without it.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import express from 'express';
import type { Exchange } from './frontend.ts';
import type { Route } from './route.ts';

export interface MountPorts {
  exchangeOf(message: IncomingMessage, response: ServerResponse): Exchange;
  dispatch(route: Route, exchange: Exchange, pathParameters: Record<string, string>): void;
  notFound(exchange: Exchange): void;
}

export function mountOnExpress(routes: readonly Route[], ports: MountPorts): RequestListener {
  const app = express();
  app.disable('x-powered-by');
  app.enable('strict routing');
  app.enable('case sensitive routing');
  for (const route of routes) {
    app.all(route.path, (request, response) => {
      const parameters: Record<string, string> = Object.create(null);
      for (const [name, value] of Object.entries(request.params)) {
        parameters[name] = Array.isArray(value) ? value.join('/') : value;
      }
      ports.dispatch(route, ports.exchangeOf(request, response), parameters);
    });
  }
  app.use((request, response) => ports.notFound(ports.exchangeOf(request, response)));
  // A path that cannot be decoded (`%zz`) names nothing.
  app.use((_error: unknown, request: IncomingMessage, response: ServerResponse, _next: () => void) =>
    ports.notFound(ports.exchangeOf(request, response)),
  );
  return app;
}
