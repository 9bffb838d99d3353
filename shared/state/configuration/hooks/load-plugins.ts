// ES-module plugins: found by package name or path, checked, configured (HOK-09, HOK-11, D28). A plugin that cannot be
// used is listed with a reason that contains none of its own text. Its own messages go to the log.
import { createRequire } from 'node:module';
import { isAbsolute, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as z from 'zod';
import type { Logger } from '#shared/base/logger.ts';
import { configureCallsOf } from './configure-calls.ts';
import { withinTime } from './within-time.ts';

export const hookApiVersion = 1;

/** A function of a plugin. It may return a promise, which is awaited. */
type PluginFunction = (...values: unknown[]) => unknown;

const pluginFunction = z.custom<PluginFunction>((value) => typeof value === 'function').optional();

const pluginModel = z.object({
  hook_api_version: z.literal(hookApiVersion),
  configure: pluginFunction,
  on_before_load: pluginFunction,
  on_config_saved: pluginFunction,
  on_audit_event: pluginFunction,
});

export const hookEvents = ['on_before_load', 'on_config_saved', 'on_audit_event'] as const;
export type HookEvent = (typeof hookEvents)[number];

type PluginSettings = Readonly<Record<string, unknown>>;

export interface LoadedPlugin {
  readonly module: string;
  /** The module's export: the same object at every load. */
  readonly exported: unknown;
  readonly settings: PluginSettings;
  /** Passes its settings, again if it got others meanwhile. @throws what it throws, or that it takes too long */
  configure(): Promise<void>;
  readonly events: readonly HookEvent[];
  call(event: HookEvent, values: readonly unknown[]): unknown;
}

export interface PluginSet {
  /** The declaration, to compare a later one with. */
  readonly declared: string;
  readonly plugins: readonly LoadedPlugin[];
  readonly failed: readonly { readonly module: string; readonly reason: string }[];
}

type DeclaredPlugins = Readonly<Record<string, PluginSettings | null>>;

export const noPlugins: PluginSet = { declared: '{}', plugins: [], failed: [] };

interface LoadPluginsOptions {
  readonly directory: string;
  /** Bounds each `configure`. */
  readonly timeoutMilliseconds: number;
  /** Called for each plugin that gets settings, even if it fails with them. */
  readonly configured: { note(plugin: LoadedPlugin): void } | undefined;
  readonly log: Logger;
  /** Aborted when the caller no longer waits for these plugins. */
  readonly givenUp?: AbortSignal | undefined;
}

/** Loads all of them, in the order declared, even if one fails. */
export async function loadPlugins(declared: DeclaredPlugins, options: LoadPluginsOptions): Promise<PluginSet> {
  const plugins: LoadedPlugin[] = [];
  const failed: { module: string; reason: string }[] = [];
  for (const [module, settings] of Object.entries(declared)) {
    try {
      plugins.push(await loadPlugin(module, settings ?? {}, options));
    } catch (error) {
      const reason = error instanceof PluginFailure ? error.message : 'could not be loaded';
      failed.push({ module, reason });
      options.log.warn({ err: error }, `plugin ${module}: ${reason}`);
    }
  }
  return { declared: declarationOf(declared), plugins, failed };
}

export function declarationOf(declared: DeclaredPlugins): string {
  return JSON.stringify(Object.entries(declared));
}

class PluginFailure extends Error {}

async function loadPlugin(
  module: string,
  settings: PluginSettings,
  { directory, timeoutMilliseconds, configured, log, givenUp }: LoadPluginsOptions,
): Promise<LoadedPlugin> {
  const imported: unknown = await importPlugin(module, directory);
  const exported = z.object({ default: z.unknown() }).safeParse(imported).data?.default;
  const plugin = pluginModel.safeParse(exported);
  if (!plugin.success) {
    const version = plugin.error.issues.some((issue) => issue.path[0] === 'hook_api_version');
    throw new PluginFailure(
      version ? `must have hook_api_version ${hookApiVersion}` : 'must have a plugin as its default export',
    );
  }
  const functions = plugin.data;
  const calls = configureCallsOf(exported);
  const call = {
    // A plugin may modify the settings it gets. A copy keeps the declared ones for comparing and passing again
    // (ACT-11).
    configure: () => functions.configure?.(structuredClone(settings)),
    isCurrent: () => givenUp?.aborted !== true,
    onFailureAgain: (error: unknown) => log.warn({ err: error }, `plugin ${module}: configure failed again`),
  };
  const loaded: LoadedPlugin = {
    module,
    exported,
    settings,
    events: hookEvents.filter((event) => functions[event] !== undefined),
    configure: () => withinTime(calls.make(call), timeoutMilliseconds),
    call: (event, values) => functions[event]?.(...values),
  };
  configured?.note(loaded);
  try {
    await loaded.configure();
  } catch (error) {
    throw new PluginFailure('failed in configure', { cause: error });
  }
  return loaded;
}

/** A path (`./x.mjs`, `/x.mjs`, or any name with an extension) is resolved from the configuration directory. */
async function importPlugin(module: string, directory: string): Promise<unknown> {
  const isPath = isAbsolute(module) || /^\.{1,2}[\\/]/.test(module) || /\.[cm]?js$/.test(module);
  let address: string;
  try {
    const path = isPath ? resolve(directory, module) : resolvePackage(module, directory);
    address = path === undefined ? module : pathToFileURL(path).href;
  } catch (error) {
    throw new PluginFailure('was not found', { cause: error });
  }
  try {
    return await import(address);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    throw new PluginFailure(code === 'ERR_MODULE_NOT_FOUND' ? 'was not found' : 'could not be loaded', {
      cause: error,
    });
  }
}

/** Packages installed beside the configuration are found first, then those of this program (undefined). */
function resolvePackage(module: string, directory: string): string | undefined {
  try {
    return createRequire(join(directory, 'package.json')).resolve(module);
  } catch {
    return undefined;
  }
}
