// The last settings of each plugin. A module exists once in a process, so it would keep the settings of a candidate
// that was not activated. With the last settings known, the active ones can be passed again (ACT-11).
import type { LoadedPlugin, PluginSet } from './load-plugins.ts';

export class ConfiguredPlugins {
  /** Keyed by the module's export, because two names may refer to one module. */
  readonly #last = new Map<unknown, LoadedPlugin>();

  constructor(inForce: PluginSet) {
    for (const plugin of inForce.plugins) this.note(plugin);
  }

  note(plugin: LoadedPlugin): void {
    this.#last.set(plugin.exported, plugin);
  }

  /** Its settings are unknown. */
  remove(plugin: LoadedPlugin): void {
    this.#last.delete(plugin.exported);
  }

  /** The plugins of the set whose last settings differ from the set's, in the order declared. */
  otherwise({ plugins }: PluginSet): readonly LoadedPlugin[] {
    const lastOfSet = new Map(plugins.map((plugin) => [plugin.exported, plugin]));
    return plugins.filter(({ exported }) => {
      const [is, expected] = [this.#last.get(exported), lastOfSet.get(exported)];
      return JSON.stringify(is?.settings) !== JSON.stringify(expected?.settings);
    });
  }
}
