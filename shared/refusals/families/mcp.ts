// Refusals of MCP's tools, by the code that the answer carries and the audit keeps as `error` (MCP-17, AUD-31).
import { docs } from '../references.ts';
import { declareRefusals } from '../refusal.ts';

const mcp = { standard: docs('errors.md#mcp') } as const;

export const mcpRefusals = declareRefusals({
  MCP_INVALID_ARGUMENTS: {
    ...mcp,
    answer: ({ problem }: { problem: string }) => problem,
    expected: 'Arguments that the tool’s schema accepts; the answer names the one that it refuses.',
  },
  MCP_UNKNOWN_TOOL: {
    ...mcp,
    answer: 'There is no tool of that name; tools/list names them.',
    expected: 'A tool that tools/list names.',
  },
  MCP_READONLY_MODE: {
    ...mcp,
    answer:
      'This MCP server is read-only and the tool changes something; to allow it, start the server without --readonly and IDP_MCP_READONLY.',
    expected: 'A tool that changes nothing, or a server without --readonly.',
  },
  MCP_ADMIN_SECRET_REQUIRED: {
    ...mcp,
    answer: ({ argument }: { argument: string }) =>
      `A management secret is set: tools that change something need it as the further argument ${argument}. Ask whoever runs this server for it.`,
    expected: 'The management secret as the argument admin_secret.',
  },
  MCP_RUNTIME_STORE_UNAVAILABLE: {
    ...mcp,
    // Whoever reads only "busy" would repeat what has been done.
    answer: ({ done }: { done: boolean }) =>
      done
        ? 'The call was carried out and what it changed stands; the audit is busy, and its event follows. Do not simply repeat the call: look first at what is there.'
        : 'The runtime store is busy at the moment; try again in a second.',
    expected: 'A runtime store that nobody holds for longer than 5 seconds.',
  },
  MCP_CONFIGURATION_UNAVAILABLE: {
    ...mcp,
    answer: ({ lockable }: { lockable: boolean }) =>
      lockable
        ? 'The configuration directory is in use by another process; try again in a second.'
        : 'The configuration directory cannot be locked on this filesystem.',
    expected: 'A configuration directory that no other process holds.',
  },
  MCP_INTERNAL_ERROR: {
    ...mcp,
    answer: 'The call failed unexpectedly; the server log says why.',
    expected: 'No fault: the log says which it is.',
  },
  /** The entry has the text of the failure instead of a code. */
  tool_failed: {
    ...mcp,
    answer: 'The tool could not do what was asked.',
    expected: 'A state that allows the change; the entry says what is in its way.',
  },
});
