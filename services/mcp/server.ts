// The one file that knows the MCP SDK: tools as the protocol shows them, standard input and output, and Streamable HTTP.
// The low-level server is used because the judgement of arguments, and what a refusal looks like, is ours (MCP-09,
// MCP-14); the SDK's own validation would answer first.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable, Writable } from 'node:stream';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { type CallToolRequest, ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import * as z from 'zod';
import { jsonHeaders } from '#shared/http/reply.ts';
import type { Logger } from '#shared/logger.ts';
import { mcpHttpRefusals, mcpMessageBytesMax } from '#shared/refusals/families/mcp.ts';
import { callTool, type ToolCaller } from './call-tool.ts';
import { type ProgressReport, reportProgress } from './report-progress.ts';
import { type RequestBody, readRequestBody, wantsProgress } from './request-body.ts';
import { admitPerTurn } from './requests-per-turn.ts';
import { isFailure, type Tool, type ToolResult } from './tool.ts';
import { wholeLines } from './whole-lines.ts';

export interface McpServerOptions {
  readonly caller: ToolCaller;
  readonly version: string;
  readonly log: Logger;
  /** No directory and no stack: keys and configuration are those of this process alone, and end with it. */
  readonly isByItself: boolean;
}

const whatItIs = `Manages the users, clients, settings, tokens and signing keys of a test-idp identity provider.`;
const besideServer = `The tools work on a copy of its configuration files in memory: what they change reaches the files with save_config, and a running server after it has reloaded (POST /api/config/reload), with a shared store at once. reload_config drops unsaved changes. Tokens are signed with the keys of the running server and verify against its JWKS. Their iss, and the addresses that get_oidc_discovery and create_sandbox answer, begin with the setting issuer, also where that server listens at another port and takes the issuer from each request (issuer_from_request).`;
const byItself =
  'This one was started without a configuration directory: the embedded configuration lies in memory, save_config has no file to write, and tokens are signed with keys that no other process has, so no running server verifies them. `test-idp init my-idp` writes a directory, and `--config-dir my-idp` names it to this server and to `test-idp start`.';

interface StdioConnection {
  /** Resolves when whoever started this process has closed the pipe, or the connection broke. */
  readonly ended: Promise<void>;
  /** Reads no further message: what was asked before is still answered. */
  stopReading(): void;
  /** Resolves when every answer given has left this process, or nobody is there to take it. */
  flushed(): Promise<void>;
  close(): Promise<void>;
}

/** Speaks MCP over a pair of streams: one client for the life of the process. */
export async function serveStreams(
  input: Readable,
  output: Writable,
  options: McpServerOptions,
): Promise<StdioConnection> {
  const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js');
  const server = mcpServer(options);
  // Many answers may wait for the pipe to drain at once.
  output.setMaxListeners(0);
  const lines = wholeLines(mcpMessageBytesMax);
  const ended = new Promise<void>((resolve) => {
    lines.once('end', resolve).once('close', resolve);
    output.once('error', () => resolve()).once('close', resolve);
    server.onclose = resolve;
  });
  // A line may hold as much, and one chunk several lines.
  await server.connect(new StdioServerTransport(lines, output, { maxBufferSize: 2 * mcpMessageBytesMax }));
  input.pipe(lines);
  input.once('close', () => lines.end());
  return {
    ended,
    stopReading: () => void input.unpipe(lines).pause(),
    async flushed() {
      // The answer of a call that has just ended is written in this turn of the event loop.
      await new Promise((resolve) => setImmediate(resolve));
      await new Promise<void>((resolve) => output.write('', () => resolve()));
    },
    close: () => server.close(),
  };
}

/** A call costs about two milliseconds. */
const gate = admitPerTurn(16);

/**
 * Answers one HTTP request of Streamable HTTP. Every request stands for itself, without session: the tools share one
 * copy anyway, no stream outlives its request, and a replaced worker goes on where its predecessor ended. A request that
 * asks for progress is answered by a stream of events, any other by one JSON value.
 */
export async function serveRequest(
  request: IncomingMessage,
  response: ServerResponse,
  options: McpServerOptions,
): Promise<void> {
  const { StreamableHTTPServerTransport } = await import('@modelcontextprotocol/sdk/server/streamableHttp.js');
  const body = await readRequestBody(request, mcpMessageBytesMax);
  if (body.outcome !== 'read') {
    refuseBody(body, response);
    return;
  }
  await gate();
  const server = mcpServer(options);
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: !wantsProgress(body.value) });
  response.once('close', () => void server.close());
  await server.connect(transport);
  await transport.handleRequest(request, response, body.value);
}

function refuseBody({ outcome }: RequestBody, response: ServerResponse): void {
  const row = outcome === 'too_large' ? mcpHttpRefusals.mcp_body_too_large : mcpHttpRefusals.mcp_body_malformed;
  const error = { code: row.rpcCode, message: row.answer };
  response.writeHead(row.status, jsonHeaders).end(JSON.stringify({ jsonrpc: '2.0', error, id: null }));
}

function mcpServer({ caller, version, log, isByItself }: McpServerOptions): Server {
  const instructions = `${whatItIs}\n${isByItself ? byItself : besideServer}`;
  const server = new Server(
    { name: 'test-idp', title: 'test-idp identity provider', version },
    { capabilities: { tools: {} }, instructions, jsonSchemaValidator: noElicitation },
  );
  server.onerror = (error) => log.warn({ err: error }, 'a message that is not MCP was ignored');
  server.setRequestHandler(listRequest, ({ params }) => {
    // The list is one page, so no cursor was ever handed out (MCP, pagination); an empty one means none.
    if (params?.cursor) throw new McpError(ErrorCode.InvalidParams, 'cursor: all tools are on one page');
    return { tools: [...caller.tools.values()].map(describeTool) };
  });
  server.setRequestHandler(callRequest, async ({ params }, { _meta, sendNotification }) => {
    if (params === undefined) throw new McpError(ErrorCode.InvalidParams, 'params: must have the name of a tool');
    const call = callTool(params.name, params.arguments ?? {}, caller);
    const progressToken = _meta?.progressToken;
    if (progressToken === undefined) return describeResult(await call);
    const notify = (report: ProgressReport) =>
      sendNotification({ method: 'notifications/progress', params: { progressToken, ...report } });
    return describeResult(await reportProgress(call, caller.tools.get(params.name)?.waitsFor, notify));
  });
  return server;
}

/** The form of a call is judged by the SDK before the handler; here it would be answered as an internal error. */
const callRequest = z.object({
  method: z.literal('tools/call'),
  params: z.custom<CallToolRequest['params']>().optional(),
});

/** The same holds for what a list is asked with. */
const listRequest = z.object({
  method: z.literal('tools/list'),
  params: z.custom<{ readonly cursor?: unknown }>().optional(),
});

function describeTool(tool: Tool) {
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: tool.inputSchema,
    outputSchema: tool.outputSchema,
    annotations: { title: tool.title, ...tool.hints },
  };
}

/**
 * One text item of JSON (MCP-16), and the same as structured content; not so for a failure, which has another form than
 * the tool's output schema promises.
 */
function describeResult(result: ToolResult) {
  const content = [{ type: 'text' as const, text: JSON.stringify(result) }];
  return isFailure(result) ? { content, isError: true } : { content, structuredContent: { ...result } };
}

/** The SDK would build a JSON Schema compiler for answers to questions that this server never asks. */
const noElicitation = {
  getValidator: () => () => ({ valid: false as const, data: undefined, errorMessage: 'This server asks nothing.' }),
};
