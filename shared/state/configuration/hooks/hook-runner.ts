// The hooks of one configuration: shell commands first, then plugins in the order declared (HOK-10). Failures are
// logged and counted here. The caller reads `strict` and decides whether a failure matters (HOK-06, HOK-07).
import type { Logger } from '#shared/base/logger.ts';
import type { Settings } from '#shared/model/configuration/settings.ts';
import type { HooksReport } from '../active-configuration.ts';
import type { ConfiguredPlugins } from './configured-plugins.ts';
import type { HookPlaceholders } from './hook-placeholders.ts';
import { type HookEvent, hookApiVersion, hookEvents, type LoadedPlugin, type PluginSet } from './load-plugins.ts';
import { runShellHook } from './run-shell-hook.ts';
import { withinTime } from './within-time.ts';

/**
 * The number of events that may wait for a slow on_audit_event hook; further ones are dropped and counted as failures.
 */
const waitingEventsMax = 10_000;

/** Failures by hook, for the lifetime of the process. */
export type FailureCounts = Map<string, number>;

interface HookRunnerOptions {
  readonly directory: string;
  readonly hooks: Settings['hooks'];
  readonly plugins: PluginSet;
  readonly failures: FailureCounts;
  readonly log: Logger;
  /** Aborted when the caller no longer waits for these hooks: a running hook is ended, and no further one starts. */
  readonly givenUp?: AbortSignal | undefined;
}

interface HookCall {
  readonly event: HookEvent;
  readonly words: HookPlaceholders;
  /** Arguments of a plugin's function. */
  readonly values: readonly unknown[];
  readonly input?: string;
}

export class HookRunner {
  readonly plugins: PluginSet;
  readonly failures: FailureCounts;
  readonly #options: HookRunnerOptions;
  readonly #waiting: HookCall[] = [];
  #delivering: Promise<void> | undefined;

  constructor(options: HookRunnerOptions) {
    this.#options = options;
    this.plugins = options.plugins;
    this.failures = options.failures;
  }

  get strict(): boolean {
    return this.#options.hooks.strict;
  }

  /** Returns the failures, one sentence each. */
  beforeLoad(): Promise<readonly string[]> {
    const { directory } = this.#options;
    return this.#run({ event: 'on_before_load', words: { config_dir: directory }, values: [directory] });
  }

  /** Called after a file was written; `path` is absolute. Returns the failures, one sentence each. */
  configSaved(path: string, kind: 'settings' | 'users'): Promise<readonly string[]> {
    const words = { config_dir: this.#options.directory, path, kind };
    return this.#run({ event: 'on_config_saved', words, values: [path, kind] });
  }

  /** Queues the event and returns at once; events are delivered one after the other (HOK-08). */
  publishAuditEvent(entry: Readonly<Record<string, unknown>>): void {
    const required =
      this.#options.hooks.on_audit_event !== undefined ||
      this.plugins.plugins.some((plugin) => plugin.events.includes('on_audit_event'));
    if (!required) return;
    if (this.#waiting.length >= waitingEventsMax) {
      this.#fail('on_audit_event', 'on_audit_event', 'is too slow, so an event was dropped', '');
      return;
    }
    const words = { config_dir: this.#options.directory, event_type: String(entry.event_type ?? '') };
    this.#waiting.push({ event: 'on_audit_event', words, values: [entry], input: `${JSON.stringify(entry)}\n` });
    this.#delivering ??= this.#deliver();
  }

  /** Resolves when all events received so far were delivered. */
  async settled(): Promise<void> {
    await this.#delivering;
  }

  /**
   * Passes the active settings again to plugins that were configured for a candidate that was not activated (ACT-11). A
   * failure is logged and counted, and the plugin is tried again after the next load.
   */
  async configureAgain(configured: ConfiguredPlugins): Promise<void> {
    for (const plugin of configured.otherwise(this.plugins)) {
      if (this.#isGivenUp) return;
      configured.note(plugin);
      try {
        await plugin.configure();
      } catch (error) {
        configured.remove(plugin);
        this.#failPlugin(plugin, 'configure', 'failed with the active settings', error);
      }
    }
  }

  report(): HooksReport {
    const { hooks, failures } = this.#options;
    return {
      hook_api_version: hookApiVersion,
      strict: hooks.strict,
      timeout_seconds: hooks.timeout_seconds,
      shell: hookEvents
        .filter((event) => hooks[event] !== undefined)
        .map((event) => ({ event, failures: failures.get(event) ?? 0 })),
      plugins: this.plugins.plugins.map(({ module, events }) => ({
        module,
        events,
        failures: failures.get(pluginName(module)) ?? 0,
      })),
      failed_plugins: this.plugins.failed,
    };
  }

  async #deliver(): Promise<void> {
    for (let call = this.#waiting.shift(); call !== undefined; call = this.#waiting.shift()) {
      await this.#run(call);
      if (this.#isGivenUp) this.#waiting.length = 0;
    }
    this.#delivering = undefined;
  }

  async #run(call: HookCall): Promise<readonly string[]> {
    const ends = [await this.#runShell(call)];
    for (const plugin of this.plugins.plugins) {
      if (this.#isGivenUp) break;
      ends.push(await this.#runPlugin(plugin, call));
    }
    return ends.filter((end) => end !== undefined);
  }

  async #runShell({ event, words, input }: HookCall): Promise<string | undefined> {
    const { hooks, givenUp } = this.#options;
    const command = hooks[event];
    if (command === undefined) return undefined;
    const timeoutMilliseconds = this.#timeout;
    const { failure, output } = await runShellHook({ command, words, input, timeoutMilliseconds, givenUp });
    return failure === undefined ? undefined : this.#fail(event, `the hook ${event}`, failure, output, command);
  }

  async #runPlugin(plugin: LoadedPlugin, { event, values }: HookCall): Promise<string | undefined> {
    if (!plugin.events.includes(event)) return undefined;
    try {
      await withinTime(plugin.call(event, values), this.#timeout, this.#options.givenUp);
      return undefined;
    } catch (error) {
      return this.#failPlugin(plugin, event, 'failed', error);
    }
  }

  #failPlugin({ module }: LoadedPlugin, call: string, failure: string, error: unknown): string {
    const words = error instanceof Error ? (error.stack ?? error.message) : '';
    return this.#fail(pluginName(module), `${call} of the plugin ${module}`, failure, words);
  }

  #fail(counter: string, hook: string, failure: string, output: string, command?: string): string {
    const { failures, log } = this.#options;
    failures.set(counter, (failures.get(counter) ?? 0) + 1);
    log.warn({ output, ...(command === undefined ? {} : { command }) }, `${hook} ${failure}`);
    return `${hook} ${failure}`;
  }

  get #isGivenUp(): boolean {
    return this.#options.givenUp?.aborted === true;
  }

  get #timeout(): number {
    // A longer time than a timer supports would expire at once.
    return Math.min(this.#options.hooks.timeout_seconds * 1000, 2 ** 31 - 1);
  }
}

function pluginName(module: string): string {
  return `plugin ${module}`;
}
