// Service providers in the text of settings.yaml: adding, replacing and deleting an entry of saml.service_providers. A
// key with an unchanged value keeps its comment and its placeholder (WRT-10).

import { serviceProviderKind } from '#shared/model/configuration/entry-kinds.ts';
import { writtenMembers } from '#shared/model/configuration/projections/yaml.ts';
import { valueAt } from '#shared/model/configuration/read-model.ts';
import type { ServiceProviderEntry } from '#shared/model/configuration/service-provider-entry.ts';
import type { LoadedConfiguration } from '../load/load-configuration.ts';
import type { Environment } from '../load/placeholders.ts';
import type { ChangeExpectation } from './change-expectation.ts';
import { setKey } from './reconcile.ts';
import { sameValue } from './same-value.ts';
import type { YamlText } from './yaml-text.ts';

const listPath = ['saml', 'service_providers'];

interface Place {
  readonly entityId: string;
  readonly entry: ServiceProviderEntry;
}

export class ServiceProvidersEditor {
  readonly #yaml: YamlText;
  /** In the order of the file. */
  readonly #places: Place[];
  readonly #environment: Environment;

  constructor(yaml: YamlText, present: LoadedConfiguration, environment: Environment) {
    this.#yaml = yaml;
    this.#places = placesOf(present);
    this.#environment = environment;
  }

  add(entityId: string, entry: ServiceProviderEntry): 'applied' | 'exists' {
    if (this.#indexOf(entityId) !== -1) return 'exists';
    const written = {
      ...(entry.entity_id === undefined ? {} : { entity_id: entry.entity_id }),
      ...writtenMembers(serviceProviderKind.fields, entry, sameValue),
    };
    if (this.#yaml.has(listPath)) this.#yaml.insertItem(listPath, this.#places.length, written);
    else setKey(this.#yaml, listPath, [written], this.#environment);
    this.#places.push({ entityId, entry });
    return 'applied';
  }

  replace(entityId: string, entry: ServiceProviderEntry): 'applied' | 'unknown' {
    const index = this.#indexOf(entityId);
    const present = this.#places[index];
    if (present === undefined) return 'unknown';
    for (const { name } of [serviceProviderKind.key, ...serviceProviderKind.fields]) {
      const value = valueAt(entry, name);
      if (sameValue(valueAt(present.entry, name), value)) continue;
      setKey(this.#yaml, [...listPath, index, name], value, this.#environment);
    }
    this.#places[index] = { entityId, entry };
    return 'applied';
  }

  delete(entityId: string): 'applied' | 'unknown' {
    const index = this.#indexOf(entityId);
    if (index === -1) return 'unknown';
    this.#yaml.remove([...listPath, index]);
    this.#places.splice(index, 1);
    return 'applied';
  }

  *expectations(): Generator<ChangeExpectation> {
    const edited = [...this.#places];
    const holds = (result: LoadedConfiguration) => sameValue(placesOf(result), edited);
    yield { holds, file: 'settings.yaml', path: listPath };
  }

  #indexOf(entityId: string): number {
    return this.#places.findIndex((place) => place.entityId === entityId);
  }
}

/** Each entry makes exactly one service provider, in the same order. */
function placesOf({ settings, serviceProviders }: LoadedConfiguration): Place[] {
  const names = [...serviceProviders.keys()];
  return settings.saml.service_providers.map((entry, index) => ({ entityId: names[index] ?? '', entry }));
}
