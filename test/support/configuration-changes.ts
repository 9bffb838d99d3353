// Changes of the configuration for tests that write it: a user and a client of the same name.

import { readClientEntry, readUserEntry } from '#shared/model/configuration/read-entry.ts';
import type { ConfigurationChange } from '#shared/state/configuration/active-configuration.ts';

export function addUser(username: string): ConfigurationChange {
  const reading = readUserEntry({ password: 'p' });
  if (reading.outcome === 'refused') throw new Error(reading.message);
  return { kind: 'add_user', username, entry: reading.entry };
}

export function addClient(client_id: string): ConfigurationChange {
  const reading = readClientEntry({ client_id, client_secret: 's' });
  if (reading.outcome === 'refused') throw new Error(reading.message);
  return { kind: 'add_client', entry: reading.entry };
}

export function entriesNamed(name: string) {
  return { user: addUser(`user-${name}`), client: addClient(`client-${name}`) };
}
