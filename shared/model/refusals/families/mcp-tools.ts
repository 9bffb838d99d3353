// Why an MCP tool failed: `{success: false, error, kind?}` (MCP-17). What REST also rejects has its row there. No
// message repeats an argument.
import { docs } from '../references.ts';
import { declareRefusals, type RefusalRow } from '../refusal.ts';
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

const namesShownMax = 20;

function namesOf(names: readonly string[]): string {
  return names.length === 0 ? 'none' : names.slice(0, namesShownMax).join(', ');
}

export const toolRefusals = declareToolRefusals({
  tool_without_server: {
    ...mcp,
    kind: 'no_server',
    answer:
      'No running server shares the store of this MCP server: configure runtime.store: sqlite, or use the address of a stack that was started with --mcp-port.',
    expected: 'A running server on the same store.',
  },
  tool_sandbox_unknown: {
    ...mcp,
    kind: 'unknown_sandbox',
    answer: 'There is no sandbox of that name. Sandboxes expire; list_sandboxes names those that live.',
    expected: 'The name of a sandbox that list_sandboxes names.',
  },
  tool_argument_unknown: {
    ...mcp,
    kind: 'unknown_argument',
    answer: ({ unknown, known }: { unknown: readonly string[]; known: readonly string[] }) =>
      `Nothing was done, since this tool does not know ${namesOf(unknown)} and would do something else without it than may be meant. Its arguments: ${namesOf(known)}.`,
    expected: 'The arguments of the tool’s schema alone, where the description says that unknown ones fail.',
  },
  // entries and settings of the copy
  tool_entry_exists: {
    ...mcp,
    answer: ({ noun, called }: Entry) =>
      `A ${noun} of that ${called} exists already; change it with update_${noun}, or choose another ${called}.`,
    expected: 'A name that the copy does not have.',
  },
  tool_entry_unknown: {
    ...mcp,
    answer: ({ noun, called }: Entry) =>
      `There is no declared ${noun} of that ${called}; list_${noun}s shows those there are.`,
    expected: 'The name of a declared entry.',
  },
  tool_entry_invalid: {
    ...mcp,
    kind: 'invalid',
    answer: ({ problem }: Problem) => `${problem}.`,
    expected: 'An entry that the file could hold.',
  },
  tool_scopes_differ: {
    ...mcp,
    kind: 'invalid',
    answer: 'scope and allowed_scopes name different scopes; give one of them.',
    expected: 'scope or allowed_scopes, or both with the same names.',
  },
  tool_setting_invalid: {
    ...mcp,
    kind: 'invalid',
    answer: ({ problem }: Problem) => problem,
    expected: 'A value that settings.yaml could hold.',
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
      'A file has changed since, so neither was written. Use reload_config (it drops unsaved changes), apply the changes again and save with the revisions it answers.',
    expected: 'Files that have the expected revisions.',
  },
  save_unloadable: {
    ...mcp,
    kind: 'unloadable',
    answer: ({ problem }: Problem) => `The copy would not load back, so neither file was written: ${problem}`,
    expected: 'A copy that loads.',
  },
  save_lock_timeout: {
    ...mcp,
    kind: 'lock_timeout',
    answer:
      'Another process holds the lock of the configuration directory, so nothing was written; try again in a few seconds.',
    expected: 'A configuration directory that no other process holds.',
  },
  save_lock_unsupported: {
    ...mcp,
    kind: 'lock_unsupported',
    answer: 'The configuration directory cannot be locked on this filesystem, so nothing was written.',
    expected: 'A filesystem with locks.',
  },
  save_not_writable: {
    ...mcp,
    kind: 'configuration_not_writable',
    answer: configurationNotWritable,
    expected: 'A machine that can write its configuration files, where several share the store.',
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
    answer: ({ problem }: Problem) => `Both files are written, but this server cannot use them: ${problem}`,
    expected: 'Keys, certificates and a store that can be taken.',
  },
  save_hook_failed: {
    ...mcp,
    kind: 'on_config_saved',
    answer: ({ problem }: Problem) =>
      `Both files are written and in use, but the on_config_saved hook failed: ${problem}`,
    expected: 'An on_config_saved hook that succeeds.',
  },
  // tokens
  tool_token_not_a_jwt: {
    ...mcp,
    answer: 'The token is not a JWT: it must be three base64url parts joined by dots, the first two JSON.',
    expected: 'A JWT.',
  },
});
