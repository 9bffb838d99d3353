// Streamable HTTP, in both revisions of the protocol: 2026-07-28, where each request names its revision in `_meta`, and
// 2025-11-25 with its predecessors. No request has a session. The tools share one copy of the configuration, no stream
// outlives its request, and a replaced worker continues where the previous one ended.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import {
  createMcpHandler,
  isLegacyRequest,
  type McpHandlerRequestOptions,
  type Server,
  SUPPORTED_PROTOCOL_VERSIONS,
  UnsupportedProtocolVersionError,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import * as z from 'zod';
import { jsonHeaders } from '#shared/engine/exchange/reply.ts';
import { mcpHttpRefusals, mcpMessageBytesMax } from '#shared/model/refusals/families/mcp.ts';
import { readRequestBody, wantsProgress } from './request-body.ts';
import { admitPerTurn } from './requests-per-turn.ts';
import { createMcpServer, type McpServerOptions } from './server.ts';

/** A call costs about two milliseconds. */
const admit = admitPerTurn(16);

/** The SDK names in SUPPORTED_PROTOCOL_VERSIONS only the revisions that begin with `initialize`. */
const modernVersion = '2026-07-28';

type HandleRequest = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Returns the handler of requests to /mcp. The response to a request without progress token is one JSON value. */
export function streamableHttp(options: McpServerOptions): HandleRequest {
  const onerror = (error: Error) => options.log.warn({ err: error }, 'a request to /mcp was rejected');
  const modern = createMcpHandler(() => createMcpServer(options, onerror), { legacy: 'reject', onerror });
  const fetch = async (request: Request, { parsedBody }: McpHandlerRequestOptions = {}) => {
    if (!(await isLegacyRequest(request, parsedBody))) return modern.fetch(request, { parsedBody });
    const requested = request.headers.get('mcp-protocol-version') ?? undefined;
    if (requested !== undefined && !SUPPORTED_PROTOCOL_VERSIONS.includes(requested)) {
      return rejectVersion(requested, parsedBody);
    }
    return respondLegacy(request, parsedBody, createMcpServer(options, onerror));
  };
  const handle = toNodeHandler({ fetch }, { onerror });
  return async (request, response) => {
    const body = await readRequestBody(request, mcpMessageBytesMax);
    if (body.outcome !== 'read') {
      rejectBody(body.outcome, response);
      return;
    }
    await admit();
    // It may have waited in a queue, and its client has left since.
    if (response.destroyed) return;
    // Its body is read, so the SDK needs the head alone.
    const { method = 'POST', url = '/', headers } = request;
    const head = { method, url, headers, [Symbol.asyncIterator]: () => request[Symbol.asyncIterator]() };
    await handle(head, response, body.value);
  };
}

/** A request of revision 2025-11-25 or earlier, for which the client needs no `initialize` before. */
async function respondLegacy(request: Request, parsedBody: unknown, server: Server): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: !wantsProgress(parsedBody) });
  request.signal.addEventListener('abort', () => void server.close(), { once: true });
  await server.connect(transport);
  return transport.handleRequest(request, { parsedBody });
}

const withId = z.looseObject({ id: z.union([z.string(), z.number()]) });

/** The SDK's transport would leave out the id and the list of versions, so that a client could not fall back to one. */
function rejectVersion(requested: string, body: unknown): Response {
  const supported = [modernVersion, ...SUPPORTED_PROTOCOL_VERSIONS];
  const { code, message, data } = new UnsupportedProtocolVersionError({ supported, requested });
  const { data: request } = withId.safeParse(body);
  return Response.json({ jsonrpc: '2.0', error: { code, message, data }, id: request?.id ?? null }, { status: 400 });
}

const bodyRejections = {
  too_large: mcpHttpRefusals.mcp_body_too_large,
  in_small_pieces: mcpHttpRefusals.mcp_body_in_small_pieces,
  malformed: mcpHttpRefusals.mcp_body_malformed,
};

function rejectBody(outcome: keyof typeof bodyRejections, response: ServerResponse): void {
  const row = bodyRejections[outcome];
  const error = { code: row.rpcCode, message: row.answer };
  // What was not read to its end would be taken for the next request.
  const closing = response.req.complete ? {} : { Connection: 'close' };
  response
    .writeHead(row.status, { ...jsonHeaders, ...closing })
    .end(JSON.stringify({ jsonrpc: '2.0', error, id: null }));
}
