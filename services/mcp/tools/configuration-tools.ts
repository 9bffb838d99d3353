// Saving the copy, reloading it, and validating the files on disk (MCP-41 to MCP-48).
import * as z from 'zod';
import { reloadRefusalOf } from '#shared/model/refusals/families/configuration.ts';
import { toolRefusals as refusals } from '#shared/model/refusals/families/mcp-tools.ts';
import { isSharedBetweenProcesses } from '#shared/model/runtime-store/store-location.ts';
import {
  type ActiveConfiguration,
  ConfigurationRejectedError,
  ConfigurationUnavailableError,
  type WriteOutcome,
} from '#shared/state/configuration/active-configuration.ts';
import { namesOf } from '#shared/state/configuration/declared-names.ts';
import { revisionOutput, successOutput } from '../common-models.ts';
import type { DeclaredNames, DraftConfiguration } from '../draft-configuration.ts';
import { defineTool, type Tool, type ToolResult } from '../tool.ts';
import { type ToolFailure, toolFailure } from '../tool-failure.ts';
import { validateConfig } from './validate-config.ts';

const expectedRevision = (file: string) =>
  z
    .string('must be a string')
    .optional()
    .meta({ description: `Save only if ${file} still has this revision, as returned by a reading tool.` });

const revisions = {
  users_revision: revisionOutput('users.yaml'),
  settings_revision: revisionOutput('settings.yaml'),
};

const saveConfig = defineTool({
  name: 'save_config',
  title: 'Save to the files',
  description:
    'Writes this server’s copy to users.yaml and settings.yaml. Without revisions, it overwrites other edits. With a revision, it fails (kind conflict) if the file has changed. It also fails if the copy would not load (kind unloadable). A running server uses the files after POST /api/config/reload, or immediately with a shared store.',
  mutating: true,
  destructive: true,
  refusesUnknown: true,
  waitsFor: 'the lock of the configuration directory or the on_config_saved hooks',
  arguments: {
    expected_users_revision: expectedRevision('users.yaml'),
    expected_settings_revision: expectedRevision('settings.yaml'),
  },
  output: { ...successOutput, message: z.string().optional(), ...revisions },
  handle: (args, { draft, configuration }) =>
    save(draft, configuration, args.expected_users_revision, args.expected_settings_revision),
});

const reloadConfig = defineTool({
  name: 'reload_config',
  title: 'Reload from the files',
  description:
    'Reads both files into this server’s copy and discards unsaved changes. Use it after a conflict or a manual edit. A running server does not reload. If a file is invalid, the copy stays unchanged.',
  destructive: true,
  refusesUnknown: true,
  idempotent: true,
  waitsFor: 'the lock of the configuration directory or the on_before_load hooks',
  arguments: {},
  output: { ...successOutput, message: z.string().optional(), ...revisions },
  async handle(_args, { draft, configuration }) {
    try {
      draft.adopt(await configuration.reload());
    } catch (error) {
      if (!(error instanceof ConfigurationRejectedError)) throw error;
      throw toolFailure(reloadRefusalOf[error.kind], { problem: error.message });
    }
    return {
      success: true,
      message: 'The copy is equal to the files. Unsaved changes were dropped.',
      ...revisionsOf(draft),
    };
  },
});

export const configurationTools: readonly Tool[] = [saveConfig, reloadConfig, validateConfig];

/** When a running server activates it (MCP-06). */
function savedFor({ declared }: { readonly declared?: true }, configuration: ActiveConfiguration): string {
  if (declared === true) return 'The copy was written to both files of this machine and is active on all machines.';
  const looks = isSharedBetweenProcesses({ kind: configuration.inForce().settings.runtime.store });
  return looks
    ? 'The copy was written to both files. A running server on the shared store uses it from its next operation.'
    : 'The copy was written to both files. A running server uses it after its own reload.';
}

/** Another process may add or remove an entry between reading the names and the write. Then the read is repeated. */
const attemptsMax = 5;

async function save(
  draft: DraftConfiguration,
  configuration: ActiveConfiguration,
  users: string | undefined,
  settings: string | undefined,
): Promise<ToolResult> {
  const checked = users !== undefined || settings !== undefined;
  const expected = {
    users: users ?? draft.revisions.users,
    settings: settings ?? draft.revisions.settings,
  };
  for (let attempt = 1; ; attempt += 1) {
    const { version } = draft;
    const changes = draft.changesFrom(await namesOnDisk(configuration));
    const written = await configuration.write(changes, checked ? { expected, whole: true } : { whole: true });
    if ((written.outcome === 'exists' || written.outcome === 'unknown') && attempt < attemptsMax) continue;
    if (written.outcome !== 'written') throw refusalOf(written);
    draft.saved(
      version,
      written.revisions,
      written.activationError === undefined ? configuration.inForce() : undefined,
    );
    if (written.activationError !== undefined) {
      throw toolFailure(refusals.save_not_activated, { problem: written.activationError });
    }
    if (written.hookError !== undefined) throw toolFailure(refusals.save_hook_failed, { problem: written.hookError });
    return {
      success: true,
      message: savedFor(written, configuration),
      users_revision: written.revisions.users,
      settings_revision: written.revisions.settings,
    };
  }
}

/**
 * If the files do not load, the names of the active configuration: a save without revisions replaces the files with its
 * changed form.
 */
async function namesOnDisk(configuration: ActiveConfiguration): Promise<DeclaredNames> {
  try {
    return await configuration.declaredNames();
  } catch (error) {
    if (error instanceof ConfigurationUnavailableError) {
      throw toolFailure(
        error.kind === 'lock_unsupported' ? refusals.save_lock_unsupported : refusals.save_lock_timeout,
      );
    }
    if (!(error instanceof ConfigurationRejectedError)) throw error;
    return namesOf(configuration.inForce());
  }
}

function refusalOf(outcome: Exclude<WriteOutcome, { readonly outcome: 'written' }>): ToolFailure {
  switch (outcome.outcome) {
    case 'unloadable':
      return toolFailure(refusals.save_unloadable, { problem: outcome.message });
    case 'lock_timeout':
    case 'lock_unsupported':
      return toolFailure(refusals[`save_${outcome.outcome}`]);
    case 'no_configuration_directory':
      return toolFailure(refusals.tool_without_directory);
    case 'not_writable':
      return toolFailure(refusals.save_not_writable);
    case 'write_failed':
      return toolFailure(refusals.save_write_failed, { problem: outcome.message });
    default:
      return toolFailure(refusals.save_conflict);
  }
}

function revisionsOf({ revisions: { users, settings } }: DraftConfiguration): ToolResult {
  return { users_revision: users, settings_revision: settings };
}
