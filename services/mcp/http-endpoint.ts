// `/mcp` under the supervisor, on its own loopback address. It is guarded against pages that make a browser call it
// (DNS rebinding). The Host must be a loopback name with this port, and an Origin, if present, a loopback origin
// (MCP-02). The SDK handles the rest of the protocol.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Logger } from '#shared/base/logger.ts';
import { isLoopbackName } from '#shared/base/loopback.ts';
import { jsonHeaders } from '#shared/engine/exchange/reply.ts';
import { type McpHttpRefusalRow, mcpHttpRefusals as refusals } from '#shared/model/refusals/families/mcp.ts';

export const mcpPath = '/mcp';

type ServeRequest = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/**
 * An assistant thinks for seconds between two calls. Node's five seconds would close the connection just when the next
 * call is sent on it. A client cannot know whether a call without response was executed.
 */
const idleMillisecondsMax = 600_000;

export function createMcpEndpoint(serve: ServeRequest, log: Logger): Server {
  const server = createServer((request, response) => {
    const refusal = refusalOf(request);
    if (refusal !== undefined) {
      const { status, headers, answer }: McpHttpRefusalRow = refusal;
      response.writeHead(status, { ...jsonHeaders, ...headers }).end(JSON.stringify({ error: answer }));
      return;
    }
    serve(request, response).catch((error: unknown) => {
      // A client that disconnects during its request is not an error of this server.
      if (response.destroyed) return;
      log.error({ err: error }, 'a request to /mcp failed');
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  });
  server.keepAliveTimeout = idleMillisecondsMax;
  return server;
}

function refusalOf(request: IncomingMessage): McpHttpRefusalRow | undefined {
  const { host, origin } = request.headers;
  if (!isLoopbackHost(host, request.socket.localPort)) return refusals.mcp_host_not_loopback;
  if (origin !== undefined && !isLoopbackOrigin(origin)) return refusals.mcp_origin_not_loopback;
  const [path] = (request.url ?? '').split('?', 1);
  if (path !== mcpPath) return refusals.mcp_path_unknown;
  if (request.method !== 'POST') return refusals.mcp_method_not_allowed;
  return undefined;
}

export function isLoopbackHost(host: string | undefined, port: number | undefined): boolean {
  if (host === undefined || port === undefined || !/^[^/?#@\s]+$/.test(host)) return false;
  const url = parse(`http://${host}`);
  return url !== undefined && isLoopbackName(url.hostname) && (url.port === '' ? '80' : url.port) === String(port);
}

export function isLoopbackOrigin(origin: string): boolean {
  const url = parse(origin);
  return url !== undefined && /^https?:$/.test(url.protocol) && url.origin === origin && isLoopbackName(url.hostname);
}

function parse(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}
