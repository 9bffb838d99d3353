// The hooks of a candidate configuration, ready to be activated. Plugins with an unchanged declaration are reused.
// Failed ones are tried again.
import type { Logger } from '#shared/base/logger.ts';
import type { Settings } from '#shared/model/configuration/settings.ts';
import { ConfigurationRejectedError } from '../active-configuration.ts';
import type { ConfiguredPlugins } from './configured-plugins.ts';
import { type FailureCounts, HookRunner } from './hook-runner.ts';
import { declarationOf, loadPlugins, noPlugins, type PluginSet } from './load-plugins.ts';

interface StageHooksOptions {
  readonly directory: string;
  readonly hooks: Settings['hooks'];
  readonly plugins: Settings['plugins'];
  /** Already loaded plugins, reused while their declaration is the same. */
  readonly present: PluginSet | undefined;
  /** undefined: no configuration is active yet that plugins would have to return to. */
  readonly configured?: ConfiguredPlugins | undefined;
  readonly failures: FailureCounts;
  readonly log: Logger;
  /** Aborted when the caller no longer waits for these hooks. */
  readonly givenUp?: AbortSignal | undefined;
}

/** @throws ConfigurationRejectedError kind `plugin_load`, when hooks are strict and a plugin failed (HOK-11). */
export async function stageHooks(options: StageHooksOptions): Promise<HookRunner> {
  const { directory, hooks, failures, log, givenUp } = options;
  const plugins = await pluginsOf(options);
  if (hooks.strict && plugins.failed.length > 0) {
    const sentences = plugins.failed.map(({ module, reason }) => `the plugin ${module} ${reason}`);
    throw new ConfigurationRejectedError('plugin_load', sentences.join('; '));
  }
  return new HookRunner({ directory, hooks, plugins, failures, log, givenUp });
}

async function pluginsOf(options: StageHooksOptions): Promise<PluginSet> {
  const { directory, hooks, plugins, present, configured, log, givenUp } = options;
  if (present !== undefined && present.declared === declarationOf(plugins) && present.failed.length === 0)
    return present;
  if (Object.keys(plugins).length === 0) return noPlugins;
  const timeoutMilliseconds = hooks.timeout_seconds * 1000;
  return await loadPlugins(plugins, { directory, timeoutMilliseconds, configured, log, givenUp });
}
