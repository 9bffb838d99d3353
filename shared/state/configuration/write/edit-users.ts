// Users in the text of users.yaml: adding, replacing and deleting an entry (WRT-12). An attribute is edited where the
// file has it: below `attributes`, or as a key of the entry itself (CFG-44).

import { userKind } from '#shared/model/configuration/entry-kinds.ts';
import type { KeyPath } from '#shared/model/configuration/finding.ts';
import { alwaysWritten, writtenMembers } from '#shared/model/configuration/projections/yaml.ts';
import { valueAt } from '#shared/model/configuration/read-model.ts';
import { type User, type UserEntry, userEntryModel, userFromEntry } from '#shared/model/configuration/user-entry.ts';
import type { LoadedConfiguration } from '../load/load-configuration.ts';
import type { Environment } from '../load/placeholders.ts';
import type { ChangeExpectation } from './change-expectation.ts';
import { setKey } from './reconcile.ts';
import { sameValue } from './same-value.ts';
import type { YamlText } from './yaml-text.ts';

/** Attributes are edited one by one, where the file has them. */
const fields = userKind.fields.filter(({ name }) => name !== 'attributes');
const always = alwaysWritten(fields);

export class UsersEditor {
  readonly #yaml: YamlText;
  /** The expected final state of each user. */
  readonly #users: Map<string, User>;
  readonly #environment: Environment;
  readonly #changed = new Set<string>();

  constructor(yaml: YamlText, users: ReadonlyMap<string, User>, environment: Environment) {
    this.#yaml = yaml;
    this.#users = new Map(users);
    this.#environment = environment;
  }

  add(username: string, entry: UserEntry): 'applied' | 'exists' {
    if (this.#users.has(username)) return 'exists';
    const user = userFromEntry(username, entry);
    setKey(this.#yaml, ['users', username], newEntry(user), this.#environment);
    this.#become(username, user);
    return 'applied';
  }

  replace(username: string, entry: UserEntry): 'applied' | 'unknown' {
    const present = this.#users.get(username);
    if (present === undefined) return 'unknown';
    const target = userFromEntry(username, entry);
    const path = ['users', username];
    for (const { name, byDefault } of fields) {
      const value = valueAt(target, name);
      if (sameValue(valueAt(present, name), value)) continue;
      const written = always.has(name) || !sameValue(value, byDefault);
      setKey(this.#yaml, [...path, name], written ? value : undefined, this.#environment);
    }
    this.#replaceAttributes(path, present.attributes, target.attributes);
    this.#become(username, target);
    return 'applied';
  }

  delete(username: string): 'applied' | 'unknown' {
    if (!this.#users.has(username)) return 'unknown';
    this.#yaml.remove(['users', username]);
    this.#users.delete(username);
    this.#changed.add(username);
    return 'applied';
  }

  /** Also checks the other users: an edit below an anchor would change every entry with an alias of it. */
  *expectations(): Generator<ChangeExpectation> {
    const names = new Set([...this.#changed, ...this.#users.keys()]);
    for (const username of names) {
      const edited = this.#users.get(username);
      const holds = ({ users }: LoadedConfiguration) => sameValue(users.get(username), edited);
      yield { holds, file: 'users.yaml', path: ['users', username] };
    }
  }

  #replaceAttributes(path: KeyPath, present: User['attributes'], target: User['attributes']): void {
    for (const [name, value] of Object.entries(target)) {
      if (Object.hasOwn(present, name) && sameValue(present[name], value)) continue;
      setKey(this.#yaml, this.#placeOf(path, name), value, this.#environment);
    }
    for (const name of Object.keys(present)) {
      if (Object.hasOwn(target, name)) continue;
      // The name may be in both places. `attributes` takes precedence.
      setKey(this.#yaml, [...path, 'attributes', name], undefined, this.#environment);
      if (!Object.hasOwn(userEntryModel.shape, name)) setKey(this.#yaml, [...path, name], undefined, this.#environment);
    }
  }

  #placeOf(path: KeyPath, name: string): KeyPath {
    const below = [...path, 'attributes', name];
    const beside = [...path, name];
    const isBeside = !this.#yaml.has(below) && !Object.hasOwn(userEntryModel.shape, name) && this.#yaml.has(beside);
    return isBeside ? beside : below;
  }

  #become(username: string, user: User): void {
    this.#users.set(username, user);
    this.#changed.add(username);
  }
}

function newEntry(user: User): Record<string, unknown> {
  const { attributes } = user;
  return {
    ...writtenMembers(fields, user, sameValue),
    ...(Object.keys(attributes).length > 0 ? { attributes } : {}),
  };
}
