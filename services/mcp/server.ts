// The one file that knows the MCP SDK: tools as the protocol shows them, standard input and output, and Streamable HTTP.
// The low-level server is used because the judgement of arguments, and what a refusal looks like, is ours (MCP-09,
// MCP-14); the SDK's own validation would answer first.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable, Writable } from 'node:stream';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import type { Logger } from '#shared/logger.ts';
import { callTool, isFailure, type ToolCaller } from './call-tool.ts';
import type { Tool, ToolResult } from './tool.ts';

export interface McpServerOptions {
  readonly caller: ToolCaller;
  readonly version: string;
  readonly log: Logger;
}

const instructions = `Manages the users, clients, settings, tokens and signing keys of a test-idp identity provider.
The tools work on a copy of its configuration files in memory: what they change reaches the files with save_config, and a running server after it has reloaded (POST /api/config/reload). reload_config drops unsaved changes. Tokens are signed with the keys of the running server and verify against its JWKS.`;

/** A message of JSON may be that long on standard input: far beyond any sensible argument. */
const inputBytesMax = 64 * 1024 * 1024;
/** And over HTTP. */
const bodyBytesMax = 16 * 1024 * 1024;

export interface StdioConnection {
  /** Resolves when whoever started this process has closed the pipe, or the connection broke. */
  readonly ended: Promise<void>;
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
  const ended = new Promise<void>((resolve) => {
    input.once('end', resolve).once('close', resolve);
    output.once('error', () => resolve()).once('close', resolve);
    server.onclose = resolve;
  });
  await server.connect(new StdioServerTransport(input, output, { maxBufferSize: inputBytesMax }));
  return { ended, close: () => server.close() };
}

/**
 * Answers one HTTP request of Streamable HTTP. Every request stands for itself, without session: the tools share one
 * copy anyway, no stream outlives its request, and a replaced worker goes on where its predecessor ended.
 */
export async function serveRequest(
  request: IncomingMessage,
  response: ServerResponse,
  options: McpServerOptions,
): Promise<void> {
  const { StreamableHTTPServerTransport } = await import('@modelcontextprotocol/sdk/server/streamableHttp.js');
  const server = mcpServer(options);
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true, maxRequestBodySize: bodyBytesMax });
  response.once('close', () => void server.close());
  await server.connect(transport);
  await transport.handleRequest(request, response);
}

function mcpServer({ caller, version, log }: McpServerOptions): Server {
  const server = new Server(
    { name: 'test-idp', title: 'test-idp identity provider', version },
    { capabilities: { tools: {} }, instructions, jsonSchemaValidator: noElicitation },
  );
  server.onerror = (error) => log.warn({ err: error }, 'a message that is not MCP was ignored');
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [...caller.tools.values()].map(describeTool) }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) =>
    describeResult(await callTool(params.name, params.arguments ?? {}, caller)),
  );
  return server;
}

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
