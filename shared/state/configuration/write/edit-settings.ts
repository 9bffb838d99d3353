// Single settings in the text of settings.yaml, by dotted path. A key that the file has under its second spelling is
// edited under it (CFG-33).

import { isMapping } from '#shared/base/untrusted-values.ts';
import type { KeyPath } from '#shared/model/configuration/finding.ts';
import { absentAtDefault, keyAliases } from '#shared/model/configuration/projections/yaml.ts';
import { valueAt } from '#shared/model/configuration/read-model.ts';
import { otherUnitOf } from '#shared/model/configuration/settings/token-lifetimes.ts';
import { type Settings, settingsModel } from '#shared/model/configuration/settings.ts';
import type { LoadedConfiguration } from '../load/load-configuration.ts';
import type { Environment } from '../load/placeholders.ts';
import type { ChangeExpectation } from './change-expectation.ts';
import { setKey } from './reconcile.ts';
import { sameValue } from './same-value.ts';
import type { YamlText } from './yaml-text.ts';

export class SettingsEditor {
  readonly #yaml: YamlText;
  readonly #environment: Environment;
  readonly #defaults: Settings = settingsModel.parse({});
  readonly #wanted = new Map<string, unknown>();
  readonly #changed = new Set<string>();
  readonly #settings: Settings;

  constructor(yaml: YamlText, settings: Settings, environment: Environment) {
    this.#yaml = yaml;
    this.#settings = settings;
    this.#environment = environment;
  }

  /** `value`: the new content of the file; undefined removes the key. */
  set(dotted: string, value: unknown): void {
    const path = dotted.split('.');
    const meaning = meaningOf(dotted, value);
    const present = this.#wanted.has(dotted) ? this.#wanted.get(dotted) : valueAt(this.#settings, dotted);
    this.#wanted.set(dotted, meaning);
    if (sameValue(present, meaning)) return;
    this.#changed.add(dotted);
    const atDefault = sameValue(meaning, valueAt(this.#defaults, dotted));
    const gone = value === undefined || meaning === undefined || (atDefault && absentAtDefault.has(dotted));
    setKey(this.#yaml, this.#placeOf(path), gone ? undefined : value, this.#environment);
    if (!gone) this.#removeOtherUnit(dotted);
  }

  /** The unit that was changed replaces the other one. If both were changed, the load rejects the text (CLS-07). */
  #removeOtherUnit(dotted: string): void {
    const other = otherUnitOf(dotted);
    if (other === undefined || this.#changed.has(other) || !this.#yaml.has(other.split('.'))) return;
    setKey(this.#yaml, other.split('.'), undefined, this.#environment);
    this.#wanted.set(other, valueAt(this.#defaults, other));
  }

  *expectations(): Generator<ChangeExpectation> {
    for (const [dotted, value] of this.#wanted) {
      const path = dotted.split('.');
      const holds = ({ settings }: LoadedConfiguration) => sameValue(valueAt(settings, dotted), value);
      yield { holds, file: 'settings.yaml', path };
    }
    // Everything else must be unchanged: an edit below an anchor would change every key with an alias of it.
    const changed = [...this.#wanted.keys(), 'oauth.clients', 'saml.service_providers'].map((dotted) =>
      dotted.split('.'),
    );
    for (const key of Object.keys(this.#settings)) {
      const rest = (settings: Settings) => changed.reduce<unknown>(without, { [key]: valueAt(settings, key) });
      const before = rest(this.#settings);
      const holds = ({ settings }: LoadedConfiguration) => sameValue(rest(settings), before);
      yield { holds, file: 'settings.yaml', path: [key] };
    }
  }

  #placeOf(path: readonly string[]): KeyPath {
    const [, alias] = keyAliases.find(([canonical]) => canonical[0] === path.join('.')) ?? [];
    return alias !== undefined && this.#yaml.has(alias) ? alias : path;
  }
}

/**
 * The model's result for the value: a blank text may mean "not set". A value that the model rejects is kept, and the
 * proof rejects it.
 */
function meaningOf(dotted: string, value: unknown): unknown {
  const settings = dotted.split('.').reduceRight<unknown>((below, key) => ({ [key]: below }), value);
  const result = settingsModel.safeParse(settings);
  return result.success ? valueAt(result.data, dotted) : value;
}

function without(root: unknown, path: readonly string[]): unknown {
  const [key = '', ...below] = path;
  if (!isMapping(root) || !Object.hasOwn(root, key)) return root;
  return { ...root, [key]: below.length === 0 ? undefined : without(root[key], below) };
}
