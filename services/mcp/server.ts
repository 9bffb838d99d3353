// An MCP server as the protocol shows it: the tools, and what a call returns. The low-level server of the SDK is used
// because this product validates arguments and words rejections itself (MCP-09, MCP-14). The SDK would answer first.
import {
  type CallToolRequest,
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
} from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { Logger } from '#shared/base/logger.ts';
import { jsonText } from '#shared/base/terminal-safe-text.ts';
import { callTool, type ToolCaller } from './call-tool.ts';
import { type ProgressReport, reportProgress } from './report-progress.ts';
import { isFailure, type Tool, type ToolResult } from './tool.ts';

export interface McpServerOptions {
  readonly caller: ToolCaller;
  readonly version: string;
  readonly log: Logger;
  /** No directory and no stack: keys and configuration belong to this process alone, and end with it. */
  readonly isByItself: boolean;
}

const whatItIs = `Manages the users, clients, settings, tokens and signing keys of a test-idp identity provider.`;
const besideServer = `The tools change a copy of its configuration files in memory. save_config writes the copy to the files. A running server uses them after POST /api/config/reload, or immediately with a shared store. reload_config discards unsaved changes. The keys of the running server sign tokens, so its JWKS verifies them. Their iss starts with the setting issuer, and so do the addresses from get_oidc_discovery and create_sandbox. That is also true if the server listens at another port or uses issuer_from_request.`;
const byItself =
  'This server runs without configuration files. save_config has no file to write, and no running server can verify its tokens, because it has its own keys. To change that, run `test-idp init my-idp`, then start this server and `test-idp start` with `--config-dir my-idp`.';

/**
 * A server without transport. The entry that serves it decides which revision of the protocol it supports: 2026-07-28
 * without sessions, or 2025-11-25 and earlier with `initialize`. `onerror` reports messages without a response.
 */
export function createMcpServer(
  { caller, version, isByItself }: McpServerOptions,
  onerror: (error: Error) => void,
): Server {
  const instructions = `${whatItIs}\n${isByItself ? byItself : besideServer}`;
  const server = new Server(
    { name: 'test-idp', title: 'test-idp identity provider', version },
    { capabilities: { tools: {} }, instructions, jsonSchemaValidator: noElicitation },
  );
  server.onerror = onerror;
  server.setRequestHandler('tools/list', { params: listParams }, (params) => {
    // The list is one page, so no cursor was ever issued (MCP, pagination). An empty one means none.
    if (params?.cursor)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'cursor is not supported: all tools are on one page');
    return { tools: [...caller.tools.values()].map(describeTool) };
  });
  server.setRequestHandler('tools/call', { params: callParams }, async (params, { mcpReq }) => {
    const call = callTool(params.name, params.arguments ?? {}, caller, mcpReq.signal);
    const progressToken = mcpReq._meta?.progressToken;
    const tool = caller.tools.get(params.name);
    if (progressToken === undefined) return describeResult(await call);
    const notify = (report: ProgressReport) =>
      mcpReq.notify({ method: 'notifications/progress', params: { progressToken, ...report } });
    return describeResult(await reportProgress(call, tool?.waitsFor, notify));
  });
  return server;
}

const callParams = z.looseObject({
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()).optional(),
}) satisfies z.ZodType<CallToolRequest['params']>;

const listParams = z.looseObject({ cursor: z.string().optional() });

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
 * One text item of JSON (MCP-16), and the same as structured content. A failure has no structured content, because its
 * form differs from the tool's output schema.
 */
function describeResult(result: ToolResult): CallToolResult {
  const content = [{ type: 'text' as const, text: jsonText(result) }];
  return isFailure(result) ? { content, isError: true } : { content, structuredContent: { ...result } };
}

/** Without it the SDK would build a JSON Schema compiler for elicitations, which this server never sends. */
const noElicitation = {
  getValidator: () => () => ({
    valid: false as const,
    data: undefined,
    errorMessage: 'This server sends no requests to the client.',
  }),
};
