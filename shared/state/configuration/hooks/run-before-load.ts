// on_before_load, for a start and for an explicit reload. It may write the files that are about to be read. Its command
// is therefore taken from the current file, even if that has errors (HOK-02). A file in which no hooks can be found
// runs none. The load that follows reports the errors.
import type { Logger } from '#shared/base/logger.ts';
import { isMapping } from '#shared/base/untrusted-values.ts';
import { type Settings, settingsModel } from '#shared/model/configuration/settings.ts';
import { ConfigurationRejectedError } from '../active-configuration.ts';
import { writtenWithPlaceholder } from '../load/document-paths.ts';
import type { Environment } from '../load/placeholders.ts';
import { validate } from '../load/validate.ts';
import { readYaml } from '../load/yaml-source.ts';
import type { ConfiguredPlugins } from './configured-plugins.ts';
import type { FailureCounts, HookRunner } from './hook-runner.ts';
import type { PluginSet } from './load-plugins.ts';
import { stageHooks } from './stage-hooks.ts';

interface DeclaredHooks {
  readonly hooks: Settings['hooks'];
  readonly plugins: Settings['plugins'];
}

/** The hooks that may have to run before the files are read; undefined when none exist. */
export function hooksBeforeLoad(settingsText: string | undefined, environment: Environment): DeclaredHooks | undefined {
  // A quick search for the two keys, however they are quoted: most files have neither.
  if (settingsText === undefined || !/^\uFEFF?(hooks|plugins|["'{?])/m.test(settingsText)) return undefined;
  const { value, document } = readYaml(settingsText, environment);
  if (!isMapping(value)) return undefined;
  const handlers = {
    fromPlaceholder: (path: readonly (string | number)[]) => writtenWithPlaceholder(document, path),
    unknownKey: () => {},
    otherForm: () => {},
    broken: () => {},
  };
  const hooks = validate(settingsModel.shape.hooks, value.hooks, ['hooks'], handlers);
  const plugins = validate(settingsModel.shape.plugins, value.plugins, ['plugins'], handlers) ?? {};
  if (hooks === undefined) return undefined;
  return hooks.on_before_load === undefined && Object.keys(plugins).length === 0 ? undefined : { hooks, plugins };
}

interface BeforeLoadOptions {
  readonly directory: string;
  readonly present: PluginSet | undefined;
  readonly configured?: ConfiguredPlugins | undefined;
  readonly failures: FailureCounts;
  readonly log: Logger;
  /** Aborted when the caller no longer waits for the load. */
  readonly givenUp?: AbortSignal | undefined;
}

/**
 * Runs them, without the directory lock, because they may need it. Returns the runner, so that plugins need not be
 * loaded twice.
 * @throws ConfigurationRejectedError kind `on_before_load` or `plugin_load`, when hooks are strict (HOK-07, HOK-11);
 * and the abort reason.
 */
export async function runBeforeLoad(declared: DeclaredHooks, options: BeforeLoadOptions): Promise<HookRunner> {
  const runner = await stageHooks({ ...declared, ...options });
  const failures = await runner.beforeLoad();
  options.givenUp?.throwIfAborted();
  if (runner.strict && failures.length > 0) throw new ConfigurationRejectedError('on_before_load', failures.join('; '));
  return runner;
}
