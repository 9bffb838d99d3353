// Clients in the text of settings.yaml: adding, replacing and deleting an entry of oauth.clients. The scope restriction
// keeps the form it has in the file; a new entry gets `scope` (WRT-12, D8).

import { isMapping } from '#shared/base/untrusted-values.ts';
import { type Client, type ClientEntry, clientFromEntry } from '#shared/model/configuration/client-entry.ts';
import { clientKind } from '#shared/model/configuration/entry-kinds.ts';
import type { KeyPath } from '#shared/model/configuration/finding.ts';
import { writtenMembers } from '#shared/model/configuration/projections/yaml.ts';
import { valueAt } from '#shared/model/configuration/read-model.ts';
import type { LoadedConfiguration } from '../load/load-configuration.ts';
import type { Environment } from '../load/placeholders.ts';
import type { ChangeExpectation } from './change-expectation.ts';
import { setKey } from './reconcile.ts';
import { sameValue } from './same-value.ts';
import type { YamlText } from './yaml-text.ts';

/** #replaceScopes writes the two forms of the one restriction. */
const fields = clientKind.fields.filter(({ name }) => name !== 'scope' && name !== 'allowed_scopes');

const listPath = ['oauth', 'clients'];

export class ClientsEditor {
  readonly #yaml: YamlText;
  /** In the order of the file. */
  readonly #clients: ClientEntry[];
  readonly #environment: Environment;
  readonly #wanted = new Map<string, Client | undefined>();

  constructor(yaml: YamlText, clients: readonly ClientEntry[], environment: Environment) {
    this.#yaml = yaml;
    this.#clients = [...clients];
    this.#environment = environment;
  }

  add(entry: ClientEntry): 'applied' | 'exists' {
    if (this.#indexOf(entry.client_id) !== -1) return 'exists';
    const written = newEntry(entry);
    if (this.#yaml.has(listPath)) this.#yaml.insertItem(listPath, this.#clients.length, written);
    else setKey(this.#yaml, listPath, [written], this.#environment);
    this.#clients.push(entry);
    this.#wanted.set(entry.client_id, clientFromEntry(entry));
    return 'applied';
  }

  replace(clientId: string, target: ClientEntry): 'applied' | 'unknown' | 'exists' {
    const index = this.#indexOf(clientId);
    const present = this.#clients[index];
    if (present === undefined) return 'unknown';
    const path = [...listPath, index];
    if (target.client_id !== clientId) {
      if (this.#indexOf(target.client_id) !== -1) return 'exists';
      setKey(this.#yaml, [...path, 'client_id'], target.client_id, this.#environment);
      this.#wanted.set(clientId, undefined);
    }
    for (const { name } of fields) {
      const value = valueAt(target, name);
      if (!sameValue(valueAt(present, name), value)) setKey(this.#yaml, [...path, name], value, this.#environment);
    }
    this.#replaceScopes(path, present, target);
    this.#clients[index] = target;
    this.#wanted.set(target.client_id, { ...clientFromEntry(target), scopes: wantedScopes(present, target) });
    return 'applied';
  }

  delete(clientId: string): 'applied' | 'unknown' {
    const index = this.#indexOf(clientId);
    if (index === -1) return 'unknown';
    this.#yaml.remove([...listPath, index]);
    this.#clients.splice(index, 1);
    this.#wanted.set(clientId, undefined);
    return 'applied';
  }

  /** Also checks the other clients: an edit below an anchor would change every entry with an alias of it. */
  *expectations(): Generator<ChangeExpectation> {
    const others = this.#clients
      .filter(({ client_id }) => !this.#wanted.has(client_id))
      .map((entry) => [entry.client_id, clientFromEntry(entry)] as const);
    for (const [clientId, edited] of [...this.#wanted, ...others]) {
      const holds = ({ clients }: LoadedConfiguration) => sameClient(clients.get(clientId), edited);
      yield { holds, file: 'settings.yaml', path: listPath };
    }
  }

  #indexOf(clientId: string): number {
    return this.#clients.findIndex((client) => client.client_id === clientId);
  }

  #replaceScopes(path: KeyPath, present: ClientEntry, target: ClientEntry): void {
    const scopes = wantedScopes(present, target);
    if (sameValue(scopes, clientFromEntry(present).scopes)) return;
    const listed = this.#yaml.has([...path, 'allowed_scopes']);
    const written = this.#yaml.has([...path, 'scope']);
    const none = scopes.length === 0;
    if (listed) setKey(this.#yaml, [...path, 'allowed_scopes'], none ? undefined : scopes, this.#environment);
    if (written || !listed)
      setKey(this.#yaml, [...path, 'scope'], none ? undefined : scopes.join(' '), this.#environment);
  }
}

/**
 * A change of one of the two spellings changes that one; the other keeps the entry's previous value. A missing spelling
 * has no meaning.
 */
function wantedScopes(present: ClientEntry, target: ClientEntry): readonly string[] {
  const textChanged = target.scope !== undefined && !sameValue(present.scope, target.scope);
  const listChanged = target.allowed_scopes !== undefined && !sameValue(present.allowed_scopes, target.allowed_scopes);
  if (textChanged && !listChanged) return clientFromEntry({ ...target, allowed_scopes: undefined }).scopes;
  if (listChanged && !textChanged) return clientFromEntry({ ...target, scope: undefined }).scopes;
  return clientFromEntry(target).scopes;
}

function newEntry(entry: ClientEntry): Record<string, unknown> {
  const { scopes } = clientFromEntry(entry);
  return {
    client_id: entry.client_id,
    ...writtenMembers(fields, entry, sameValue),
    ...(scopes.length > 0 ? { scope: scopes.join(' ') } : {}),
  };
}

/** The two forms of the restriction are compared by their meaning. */
function sameClient(loaded: Client | undefined, edited: Client | undefined): boolean {
  const meant = (client: Client | undefined) =>
    isMapping(client) ? { ...client, scope: undefined, allowed_scopes: undefined } : undefined;
  return sameValue(meant(loaded), meant(edited));
}
