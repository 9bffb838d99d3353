// Why an MCP tool failed: `{success: false, error, kind?}` (MCP-17). What REST also rejects has its row there. No
// message repeats an argument.
import { docs } from '../references.ts';
import { declareRefusals, type RefusalRow } from '../refusal.ts';
import { invalid, lockedByAnotherProcess, lockUnsupported, notFound } from '../wordings.ts';
import { configurationNotWritable, noConfigurationDirectory } from './configuration.ts';

export interface ToolRefusalRow<Facts = never> extends RefusalRow<Facts> {
  readonly kind?: string;
}

const mcp = { standard: docs('errors.md#mcp') } as const;

interface Problem {
  readonly problem: string;
}

interface Entry {
  /** The kind of entry, and the name that the call used. */
  readonly noun: string;
  readonly called: string;
}

function declareToolRefusals<const Table extends Readonly<Record<string, ToolRefusalRow>>>(table: Table) {
  return declareRefusals<ToolRefusalRow, Table>(table);
}

export const toolRefusals = declareToolRefusals({
  tool_without_server: {
    ...mcp,
    kind: 'no_server',
    answer:
      'This MCP server does not share a store with a running server. Set runtime.store: sqlite, or use the MCP address of a stack started with --mcp-port.',
    expected: 'A running server on the same store.',
  },
  tool_sandbox_unknown: {
    ...mcp,
    kind: 'unknown_sandbox',
    answer: `${notFound('sandbox')} Sandboxes expire. list_sandboxes lists the existing ones.`,
    expected: 'The name of a sandbox that list_sandboxes lists.',
  },
  tool_argument_unknown: {
    ...mcp,
    kind: 'unknown_argument',
    answer: ({ problem }: Problem) => problem,
    expected: 'Only arguments of the schema, where the description says that unknown ones fail.',
  },
  // entries and settings of the copy
  tool_entry_exists: {
    ...mcp,
    answer: ({ noun, called }: Entry) =>
      `A ${noun} with this ${called} already exists. Change it with update_${noun}, or choose another ${called}.`,
    expected: 'A name that does not exist in the working copy.',
  },
  tool_entry_unknown: {
    ...mcp,
    answer: ({ noun, called }: Entry) =>
      `A declared ${noun} with this ${called} does not exist. list_${noun}s lists the existing ones.`,
    expected: 'The name of a declared entry.',
  },
  tool_entry_invalid: {
    ...mcp,
    kind: 'invalid',
    answer: ({ problem }: Problem) => invalid('entry', problem),
    expected: 'An entry that would be valid in the file.',
  },
  tool_scopes_differ: {
    ...mcp,
    kind: 'invalid',
    answer: 'scope and allowed_scopes name different scopes. Send only one of them.',
    expected: 'scope or allowed_scopes, or both with the same names.',
  },
  tool_setting_invalid: {
    ...mcp,
    kind: 'invalid',
    answer: ({ problem }: Problem) => problem,
    expected: 'A value that would be valid in settings.yaml.',
  },
  // the files
  tool_without_directory: {
    ...mcp,
    kind: 'no_configuration_directory',
    answer: noConfigurationDirectory,
    expected: 'A server with a configuration directory.',
  },
  save_conflict: {
    ...mcp,
    kind: 'conflict',
    answer:
      'A file changed in the meantime, so neither file was written. Call reload_config (it drops unsaved changes), apply your changes again, and save with the revisions that it returns.',
    expected: 'Files with the expected revisions.',
  },
  save_unloadable: {
    ...mcp,
    kind: 'unloadable',
    answer: ({ problem }: Problem) => `The working copy would not load, so neither file was written: ${problem}`,
    expected: 'A working copy that loads.',
  },
  save_lock_timeout: {
    ...mcp,
    kind: 'lock_timeout',
    answer: `${lockedByAnotherProcess('configuration')} Nothing was written. Try again in a few seconds.`,
    expected: 'A configuration directory that no other process has locked.',
  },
  save_lock_unsupported: {
    ...mcp,
    kind: 'lock_unsupported',
    answer: `${lockUnsupported('configuration')} Nothing was written.`,
    expected: 'A filesystem that supports locks.',
  },
  save_not_writable: {
    ...mcp,
    kind: 'configuration_not_writable',
    answer: configurationNotWritable,
    expected: 'Writable configuration files on this machine, or a call to a machine that has them.',
  },
  save_write_failed: {
    ...mcp,
    kind: 'write_failed',
    answer: ({ problem }: Problem) => `The files could not be written: ${problem}`,
    expected: 'Files that can be written.',
  },
  save_not_activated: {
    ...mcp,
    kind: 'reload_after_save',
    answer: ({ problem }: Problem) => `Both files were written, but this server cannot activate them: ${problem}`,
    expected: 'Keys, certificates and a store that the server can use.',
  },
  save_hook_failed: {
    ...mcp,
    kind: 'on_config_saved',
    answer: ({ problem }: Problem) =>
      `Both files were written and are active, but the on_config_saved hook failed: ${problem}`,
    expected: 'An on_config_saved hook that succeeds.',
  },
  // tokens
  tool_claim_changes_wrong: {
    ...mcp,
    kind: 'invalid',
    answer: ({ problem }: { problem: string }) => problem,
    expected:
      'set_claims and remove_claims with different names, audience without resource, and id_token with the scope openid.',
  },
  tool_token_not_a_jwt: {
    ...mcp,
    answer: 'The token is not a JWT. A JWT has three base64url parts joined by dots, and the first two are JSON.',
    expected: 'A JWT.',
  },
});
