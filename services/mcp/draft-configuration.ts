// The MCP process's own copy of the two files, one for all sessions (MCP-03, MCP-05). Tools read and change it in
// memory. save_config writes the whole copy. reload_config and a check for changed files replace it. It stores the
// revisions that it is based on, so that a save can be checked against them (MCP-42).

import { type Client, type ClientEntry, clientFromEntry } from '#shared/model/configuration/client-entry.ts';
import type { ConfigurationSnapshot, Revision } from '#shared/model/configuration/configuration-snapshot.ts';
import { profileRules } from '#shared/model/configuration/profile-rules.ts';
import { valueAt } from '#shared/model/configuration/read-model.ts';
import type { ServiceProviderEntry } from '#shared/model/configuration/service-provider-entry.ts';
import type { Settings } from '#shared/model/configuration/settings.ts';
import { addressMadeOf, type User, type UserEntry, userFromEntry } from '#shared/model/configuration/user-entry.ts';
import type { ConfigurationChange } from '#shared/state/configuration/active-configuration.ts';
import { toolSettings } from './setting-arguments.ts';

interface Revisions {
  readonly users: Revision;
  readonly settings: Revision;
}

/** The names that the files currently declare: they decide between adding, replacing and deleting. */
export interface DeclaredNames {
  readonly users: ReadonlySet<string>;
  readonly clients: ReadonlySet<string>;
  readonly serviceProviders: ReadonlySet<string>;
}

/** Marks the state of the copy that a save wrote, so that later changes stay unsaved. */
type DraftVersion = number;

export class DraftConfiguration {
  #base: ConfigurationSnapshot;
  #revisions: Revisions;
  #users: Map<string, UserEntry>;
  #clients: Map<string, ClientEntry>;
  /** By entity ID, each as in the file. */
  #serviceProviders: Map<string, ServiceProviderEntry>;
  #settings: Settings;
  #version: DraftVersion = 0;
  /** The version that equals the files. undefined: none does. */
  #savedVersion: DraftVersion | undefined = 0;
  /** The version that the copy had when it was last replaced as a whole. */
  #adoptedVersion: DraftVersion = 0;
  #snapshot: ConfigurationSnapshot | undefined;

  constructor(base: ConfigurationSnapshot) {
    this.#base = base;
    this.#revisions = base.revisions;
    this.#users = userEntriesOf(base);
    this.#clients = clientEntriesOf(base);
    this.#serviceProviders = serviceProviderEntriesOf(base);
    this.#settings = base.settings;
  }

  /** The revisions of the files that this copy was loaded from, or last saved to. */
  get revisions(): Revisions {
    return this.#revisions;
  }

  get hasUnsavedChanges(): boolean {
    return this.#version !== this.#savedVersion;
  }

  /** No tool can change it. */
  get managementSecret(): string | undefined {
    return this.#base.managementSecret;
  }

  get version(): DraftVersion {
    return this.#version;
  }

  /** The whole copy, unsaved changes included: the basis of issued tokens and of descriptions of the server. */
  snapshot(): ConfigurationSnapshot {
    this.#snapshot ??= {
      ...this.#base,
      revisions: this.#revisions,
      settings: {
        ...this.#settings,
        oauth: { ...this.#settings.oauth, clients: [...this.#clients.values()] },
        saml: { ...this.#settings.saml, service_providers: [...this.#serviceProviders.values()] },
      },
      rules: profileRules(this.#settings),
      users: new Map([...this.#users].map(([name, entry]) => [name, userFromEntry(name, entry)])),
      clients: new Map([...this.#clients].map(([id, entry]) => [id, clientFromEntry(entry)])),
    };
    return this.#snapshot;
  }

  userEntry(username: string): UserEntry | undefined {
    return this.#users.get(username);
  }

  clientEntry(clientId: string): ClientEntry | undefined {
    return this.#clients.get(clientId);
  }

  putUser(username: string, entry: UserEntry): User {
    this.#users.set(username, entry);
    this.#changed();
    return userFromEntry(username, entry);
  }

  deleteUser(username: string): boolean {
    const existed = this.#users.delete(username);
    if (existed) this.#changed();
    return existed;
  }

  putClient(entry: ClientEntry): Client {
    this.#clients.set(entry.client_id, entry);
    this.#changed();
    return clientFromEntry(entry);
  }

  deleteClient(clientId: string): boolean {
    const existed = this.#clients.delete(clientId);
    if (existed) this.#changed();
    return existed;
  }

  get serviceProviders(): ReadonlyMap<string, ServiceProviderEntry> {
    return this.#serviceProviders;
  }

  putServiceProvider(entityId: string, entry: ServiceProviderEntry): ServiceProviderEntry {
    this.#serviceProviders.set(entityId, entry);
    this.#changed();
    return entry;
  }

  deleteServiceProvider(entityId: string): boolean {
    const existed = this.#serviceProviders.delete(entityId);
    if (existed) this.#changed();
    return existed;
  }

  changeSettings(settings: Settings): void {
    this.#settings = settings;
    this.#changed();
  }

  /** Replaces the copy with the content of the files. Every unsaved change is dropped (MCP-46). */
  adopt(snapshot: ConfigurationSnapshot): void {
    this.#base = snapshot;
    this.#revisions = snapshot.revisions;
    this.#users = userEntriesOf(snapshot);
    this.#clients = clientEntriesOf(snapshot);
    this.#serviceProviders = serviceProviderEntriesOf(snapshot);
    this.#settings = snapshot.settings;
    this.#changed();
    this.#savedVersion = this.#version;
    this.#adoptedVersion = this.#version;
  }

  /** Adopts changed files, unless the copy has unsaved changes. Then changes and revisions stay (MCP-10). */
  follow(snapshot: ConfigurationSnapshot): void {
    if (snapshot !== this.#base && !this.hasUnsavedChanges) this.adopt(snapshot);
  }

  /**
   * Records that the state of `version` was written. `inForce` is the configuration that was activated with it. It is
   * undefined when the files could not be activated: then the copy equals the files, and the base stays.
   */
  saved(version: DraftVersion, revisions: Revisions, inForce: ConfigurationSnapshot | undefined): void {
    // A reload replaced the copy during the save, so the copy is not based on the written state.
    if (version < this.#adoptedVersion) return;
    if (inForce !== undefined && version === this.#version) {
      this.adopt(inForce);
      return;
    }
    if (inForce !== undefined) this.#base = inForce;
    this.#revisions = revisions;
    this.#savedVersion = version;
    this.#snapshot = undefined;
  }

  /** The whole copy as changes to files that declare `onDisk` (MCP-41). */
  changesFrom(onDisk: DeclaredNames): readonly ConfigurationChange[] {
    return [
      ...toolSettings.map(({ path }) => ({ kind: 'set', path, value: valueAt(this.#settings, path) }) as const),
      ...[...onDisk.users].filter((name) => !this.#users.has(name)).map(deleteUser),
      ...[...this.#users].map(([username, entry]): ConfigurationChange => {
        return { kind: onDisk.users.has(username) ? 'replace_user' : 'add_user', username, entry };
      }),
      ...[...onDisk.clients].filter((id) => !this.#clients.has(id)).map(deleteClient),
      ...[...this.#clients].map(([id, entry]): ConfigurationChange => {
        return onDisk.clients.has(id)
          ? { kind: 'replace_client', client_id: id, entry }
          : { kind: 'add_client', entry };
      }),
      ...[...onDisk.serviceProviders]
        .filter((id) => !this.#serviceProviders.has(id))
        .map((entity_id): ConfigurationChange => ({ kind: 'delete_service_provider', entity_id })),
      ...[...this.#serviceProviders].map(
        ([entity_id, entry]): ConfigurationChange => ({
          kind: onDisk.serviceProviders.has(entity_id) ? 'replace_service_provider' : 'add_service_provider',
          entity_id,
          entry,
        }),
      ),
    ];
  }

  #changed(): void {
    this.#version += 1;
    this.#snapshot = undefined;
  }
}

function deleteUser(username: string): ConfigurationChange {
  return { kind: 'delete_user', username };
}

function deleteClient(clientId: string): ConfigurationChange {
  return { kind: 'delete_client', client_id: clientId };
}

/** The entries of the users: the name is the key, and a generated address is left out again. */
function userEntriesOf({ users }: ConfigurationSnapshot): Map<string, UserEntry> {
  return new Map(
    [...users].map(([name, { username: _name, email, ...entry }]) => [
      name,
      email === addressMadeOf(name) ? entry : { ...entry, email },
    ]),
  );
}

function clientEntriesOf({ clients }: ConfigurationSnapshot): Map<string, ClientEntry> {
  return new Map([...clients].map(([id, { scopes: _scopes, ...entry }]) => [id, entry]));
}

/** Each entry defines exactly one service provider, in the same order. */
function serviceProviderEntriesOf({
  settings,
  serviceProviders,
}: ConfigurationSnapshot): Map<string, ServiceProviderEntry> {
  const names = [...serviceProviders.keys()];
  return new Map(settings.saml.service_providers.map((entry, index) => [names[index] ?? '', entry]));
}
