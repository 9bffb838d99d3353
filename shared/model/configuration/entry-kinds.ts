// The kinds of entries, each with its fields and the functions that read and show an entry. Forms, tools and the REST
// API handle every kind through this table.
import type { z } from 'zod';
import { type Client, type ClientEntry, checkClientEntry, clientEntryModel, clientFromEntry } from './client-entry.ts';
import { type EntryReading, readClientEntry, readServiceProviderEntry, readUserEntry } from './read-entry.ts';
import { fieldsOf, type ModelField, modelField } from './read-model.ts';
import {
  checkServiceProviderEntry,
  type ServiceProviderEntry,
  serviceProviderEntryModel,
} from './service-provider-entry.ts';
import { checkUserEntry, type User, type UserEntry, userEntryModel, userFromEntry } from './user-entry.ts';
import { filledText } from './value-kinds.ts';

export interface EntryKind<Entry, Effective> {
  /** The name in messages and tool names. */
  readonly noun: string;
  readonly file: 'settings.yaml' | 'users.yaml';
  /** The field that identifies an entry. */
  readonly key: ModelField;
  /** Whether the key is a member of the entry, or is outside it. */
  readonly keyInEntry: boolean;
  readonly model: z.ZodType<Entry>;
  /** The fields except the key, in the order of the model. */
  readonly fields: readonly ModelField[];
  /** Fields that an effective entry always has, although the model lets them be absent. */
  readonly filledIn: ReadonlySet<string>;
  /** The rules over several fields. Returns the first violated one as field and sentence. */
  check(entry: Entry): { readonly field: string; readonly message: string } | undefined;
  /** Reads an entry from JSON. */
  read(value: unknown): EntryReading<Entry>;
  /** The fields of the effective entry that surfaces show, by name. Absent ones are undefined. */
  view(effective: Effective): Readonly<Record<string, unknown>>;
  effective(name: string, entry: Entry): Effective;
}

export const userKind: EntryKind<UserEntry, User> = {
  noun: 'user',
  file: 'users.yaml',
  key: modelField(filledText(), ['username'], {
    description: 'The name that the user logs in with, such as `alice`.',
    label: 'Username',
    form: { section: 'login', blank: '' },
  }),
  keyInEntry: false,
  model: userEntryModel,
  fields: fieldsOf(userEntryModel),
  filledIn: new Set(['email']),
  check: checkUserEntry,
  read: readUserEntry,
  view: (user) => ({ ...user }),
  effective: userFromEntry,
};

const [clientKey, ...clientFields] = fieldsOf(clientEntryModel);
if (clientKey === undefined) throw new Error('A client has no fields.');

export const clientKind: EntryKind<ClientEntry, Client> = {
  noun: 'client',
  file: 'settings.yaml',
  key: clientKey,
  keyInEntry: true,
  model: clientEntryModel,
  fields: clientFields,
  filledIn: new Set(['scope', 'allowed_scopes']),
  check: checkClientEntry,
  read: readClientEntry,
  /** `scope` and `allowed_scopes` are two spellings of one restriction (D8). */
  view: (client) => ({ ...client, scope: client.scopes.join(' '), allowed_scopes: client.scopes }),
  effective: (_name, entry) => clientFromEntry(entry),
};

const [serviceProviderKey, ...serviceProviderFields] = fieldsOf(serviceProviderEntryModel);
if (serviceProviderKey === undefined) throw new Error('A service provider has no fields.');

/** Shown as in the file. The REST API adds what its metadata contains. */
export const serviceProviderKind: EntryKind<ServiceProviderEntry, ServiceProviderEntry> = {
  noun: 'service_provider',
  file: 'settings.yaml',
  key: serviceProviderKey,
  keyInEntry: true,
  model: serviceProviderEntryModel,
  fields: serviceProviderFields,
  filledIn: new Set(),
  check: checkServiceProviderEntry,
  read: readServiceProviderEntry,
  view: (entry) => ({ ...entry }),
  effective: (_name, entry) => entry,
};

/** Only the members of the entry. The snapshot's object has more. */
export function entryMembers<Entry, Effective>(
  { key, keyInEntry, fields }: EntryKind<Entry, Effective>,
  entry: Entry,
): Record<string, unknown> {
  const names = [...(keyInEntry ? [key] : []), ...fields].map(({ name }) => name);
  const members = new Map(Object.entries(Object(entry)));
  return Object.fromEntries(names.filter((name) => members.has(name)).map((name) => [name, members.get(name)]));
}
