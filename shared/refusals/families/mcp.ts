// Refusals of MCP's tools, by the code that the answer carries and the audit keeps as `error` (MCP-17, AUD-31).
import { docs } from '../references.ts';
import { declareRefusals } from '../refusal.ts';

const mcp = { standard: docs('errors.md#mcp') } as const;

export const mcpRefusals = declareRefusals({
  MCP_INVALID_ARGUMENTS: {
    ...mcp,
    answer: 'The schema of the tool refuses an argument.',
    expected: 'Arguments that the tool’s schema accepts; the answer names the one that it refuses.',
  },
  MCP_UNKNOWN_TOOL: { ...mcp, answer: 'There is no tool of that name.', expected: 'A tool that tools/list names.' },
  MCP_READONLY_MODE: {
    ...mcp,
    answer: 'This MCP server is read-only and the tool changes something.',
    expected: 'A tool that changes nothing, or a server without --readonly.',
  },
  MCP_ADMIN_SECRET_REQUIRED: {
    ...mcp,
    answer: 'A management secret is set: changing tools need it as admin_secret.',
    expected: 'The management secret as the argument admin_secret.',
  },
  MCP_RUNTIME_STORE_UNAVAILABLE: {
    ...mcp,
    answer: 'The runtime store is busy.',
    expected: 'A runtime store that nobody holds for longer than 5 seconds.',
  },
  MCP_CONFIGURATION_UNAVAILABLE: {
    ...mcp,
    answer: 'The configuration directory cannot be locked.',
    expected: 'A configuration directory that no other process holds.',
  },
  MCP_INTERNAL_ERROR: { ...mcp, answer: 'A fault of this program.', expected: 'No fault: the log says which it is.' },
  /** The entry has the text of the failure instead of a code. */
  tool_failed: {
    ...mcp,
    answer: 'The tool could not do what was asked.',
    expected: 'A state that allows the change; the entry says what is in its way.',
  },
});
