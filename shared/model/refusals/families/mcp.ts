// Rejections by MCP: of a call, by the code that the response has and the audit stores as `error` (MCP-17, AUD-31), and
// of requests before any call. Failures of tools are in mcp-tools.ts.

import { storeDeadlineMilliseconds } from '#shared/model/runtime-store/store-deadline.ts';
import { bytesText, secondsText } from '../quantities.ts';
import { docs, jsonRpc, mcpTransport, rfc } from '../references.ts';
import { declareRefusals, type RefusalRow } from '../refusal.ts';
import { bodyInSmallPieces, lockedByAnotherProcess, lockUnsupported, tooLarge } from '../wordings.ts';

const mcp = { standard: docs('errors.md#mcp') } as const;

export const mcpRefusals = declareRefusals({
  MCP_INVALID_ARGUMENTS: {
    ...mcp,
    answer: ({ problem }: { problem: string }) => problem,
    expected: 'Arguments that match the schema of the tool. The response names the wrong one.',
  },
  MCP_UNKNOWN_TOOL: {
    ...mcp,
    answer: 'This tool does not exist. tools/list lists all tools.',
    expected: 'A tool that tools/list lists.',
  },
  MCP_READONLY_MODE: {
    ...mcp,
    answer:
      'This MCP server is read-only, and this tool makes changes. To allow it, start the server without --readonly and IDP_MCP_READONLY.',
    expected: 'A tool that only reads, or a server without --readonly.',
  },
  MCP_ADMIN_SECRET_REQUIRED: {
    ...mcp,
    answer: ({ argument }: { argument: string }) =>
      `This tool makes changes, so it needs the management secret as the argument ${argument}. Ask the operator of this server for it.`,
    expected: 'The management secret as the argument admin_secret.',
  },
  MCP_RUNTIME_STORE_UNAVAILABLE: {
    ...mcp,
    // A caller that gets only "busy" would repeat a call that was already carried out.
    answer: ({ done }: { done: boolean }) =>
      done
        ? 'The call succeeded and its changes are stored. The audit is busy, so the audit event is written later. Do not repeat the call before you have read the current state.'
        : 'The runtime store is busy. Try again in a second.',
    expected: `A runtime store that no process locks for more than ${secondsText(storeDeadlineMilliseconds)}.`,
  },
  MCP_CONFIGURATION_UNAVAILABLE: {
    ...mcp,
    answer: ({ lockable }: { lockable: boolean }) =>
      lockable ? `${lockedByAnotherProcess('configuration')} Try again in a second.` : lockUnsupported('configuration'),
    expected: 'A configuration directory that no other process has locked.',
  },
  MCP_INTERNAL_ERROR: {
    ...mcp,
    answer: 'The call failed unexpectedly. The server log has the cause.',
    expected: 'No error. The server log has the cause.',
  },
  /** For entries with the failure's text and no code, written by older versions. */
  tool_failed: {
    ...mcp,
    answer: 'The tool failed.',
    expected: 'A state that allows the change. The audit entry has the reason for the failure.',
  },
});

export interface McpHttpRefusalRow<Facts = never> extends RefusalRow<Facts> {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The code of a JSON-RPC error, where the response is one. */
  readonly rpcCode?: number;
}

function declareMcpHttpRefusals<const Table extends Readonly<Record<string, McpHttpRefusalRow>>>(table: Table) {
  return declareRefusals<McpHttpRefusalRow, Table>(table);
}

/** The longest message: far beyond any sensible argument. */
export const mcpMessageBytesMax = 16 * 1024 * 1024;

const transport = mcpTransport('Security Warning');

/** Requests to /mcp that are rejected before the protocol (MCP-02). */
export const mcpHttpRefusals = declareMcpHttpRefusals({
  mcp_host_not_loopback: {
    standard: transport,
    status: 403,
    answer: 'The Host header must be a loopback name with the port of this server.',
    expected: 'A request to localhost, 127.0.0.1 or [::1] at the port of this server.',
  },
  mcp_origin_not_loopback: {
    standard: transport,
    status: 403,
    answer: 'Only pages with a loopback origin can call this server.',
    expected: 'A loopback Origin, or no Origin.',
  },
  mcp_path_unknown: {
    standard: rfc(9110, '15.5.5'),
    status: 404,
    answer: 'not_found',
    expected: 'The path /mcp.',
  },
  mcp_method_not_allowed: {
    standard: rfc(9110, '15.5.6'),
    status: 405,
    headers: { Allow: 'POST' },
    answer: 'method_not_allowed',
    // Without sessions there is no stream to open and no session to end.
    expected: 'POST.',
  },
  mcp_body_too_large: {
    standard: rfc(9110, '15.5.14'),
    status: 413,
    rpcCode: -32000,
    answer: `Payload Too Large: ${tooLarge('The body', mcpMessageBytesMax)}`,
    expected: `A body of at most ${bytesText(mcpMessageBytesMax)}.`,
  },
  mcp_body_in_small_pieces: {
    standard: rfc(9112, '7.1'),
    status: 400,
    rpcCode: -32000,
    answer: bodyInSmallPieces,
    expected: 'A body in larger chunks.',
  },
  mcp_body_malformed: {
    standard: jsonRpc('5.1'),
    status: 400,
    rpcCode: -32700,
    answer: 'Parse error: the body is not JSON.',
    expected: 'A body of well-formed JSON.',
  },
});
