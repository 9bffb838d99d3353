// What each plugin was configured with last. A module is there once in a process, so the settings of a candidate that did not
// come into force would stay in it; whoever knows what came last can give it those in force again (ACT-11).
import type { LoadedPlugin, PluginSet } from './load-plugins.ts';

export class ConfiguredPlugins {
  /** By what the module exports: two names may be of one module. */
  readonly #last = new Map<unknown, LoadedPlugin>();

  constructor(inForce: PluginSet) {
    for (const plugin of inForce.plugins) this.note(plugin);
  }

  note(plugin: LoadedPlugin): void {
    this.#last.set(plugin.exported, plugin);
  }

  /** What it acts by is not known. */
  forget(plugin: LoadedPlugin): void {
    this.#last.delete(plugin.exported);
  }

  /** Those of the set that act by other settings than the set's, in the order declared. */
  otherwise({ plugins }: PluginSet): readonly LoadedPlugin[] {
    const lastOfSet = new Map(plugins.map((plugin) => [plugin.exported, plugin]));
    return plugins.filter(({ exported }) => {
      const [is, wanted] = [this.#last.get(exported), lastOfSet.get(exported)];
      return JSON.stringify(is?.settings) !== JSON.stringify(wanted?.settings);
    });
  }
}
