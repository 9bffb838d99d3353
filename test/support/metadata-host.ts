// A local HTTPS host that serves valid and hostile metadata documents, with a certificate of a test authority. It counts
// connections and requests, so that a test can check how often it was called.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { TestAuthority } from './test-authority.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

export interface MetadataHost {
  readonly port: number;
  /** The handler of the host. Each test replaces it. */
  answer: Answer;
  readonly requests: { readonly url: string; readonly headers: NodeJS.Dict<string | string[]> }[];
  connections: number;
  close(): Promise<void>;
}

export async function startMetadataHost(
  authority: TestAuthority,
  names: readonly string[] = ['client.example', 'localhost', '127.0.0.1'],
  options: { expired?: boolean } = {},
): Promise<MetadataHost> {
  const sockets = new Set<Socket>();
  const server: Server = createServer(await authority.issue(names, options), (request, response) => {
    host.requests.push({ url: request.url ?? '', headers: request.headers });
    host.answer(request, response);
  });
  server.on('connection', (socket: Socket) => {
    host.connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host: MetadataHost = {
    port: (server.address() as AddressInfo).port,
    answer: (_request, response) => response.writeHead(404).end(),
    requests: [],
    connections: 0,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return host;
}

/** Responds with a value as JSON. */
export function serveJson(value: unknown, headers: Record<string, string> = {}): Answer {
  return (_request, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json', ...headers });
    response.end(typeof value === 'string' ? value : JSON.stringify(value));
  };
}
