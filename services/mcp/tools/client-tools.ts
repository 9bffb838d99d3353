// Clients of the copy (MCP-25 to MCP-28).
import { hasSecret } from '#shared/model/configuration/client-authentication.ts';
import type { Client, ClientEntry } from '#shared/model/configuration/client-entry.ts';
import { clientKind } from '#shared/model/configuration/entry-kinds.ts';
import { textArgument } from '#shared/model/configuration/projections/tool-argument.ts';
import { toolRefusals } from '#shared/model/refusals/families/mcp-tools.ts';
import { inMemoryOnly } from '../common-models.ts';
import type { Tool } from '../tool.ts';
import { toolFailure } from '../tool-failure.ts';
import {
  createTool,
  deleteTool,
  type EntryFamily,
  fieldArguments,
  getTool,
  listTool,
  unknownEntry,
  updateTool,
} from './entry-tools.ts';

const clients: EntryFamily<ClientEntry, Client> = {
  kind: clientKind,
  called: 'client_id',
  revision: 'settings',
  answers: 'A client without its secret. `scope` and `allowed_scopes` have the same content.',
  all: (draft) => draft.snapshot().clients,
  entry: (draft, clientId) => draft.clientEntry(clientId),
  put: (draft, client_id, entry) => draft.putClient({ ...entry, client_id }),
  delete: (draft, clientId) => draft.deleteClient(clientId),
};

export const clientIdArgument = textArgument(clientKind.key);

export const clientTools: readonly Tool[] = [
  listTool(clients, {
    title: 'List clients',
    description:
      'Lists the OAuth clients in this server’s copy of settings.yaml, including unsaved changes. Use it to find a client_id, or settings_revision for save_config. It shows no secrets and no clients that registered at a running server.',
  }),
  getTool(clients, {
    title: 'Read a client',
    description:
      'Returns a declared OAuth client by its client_id, without its secret. Returns found: false if it is unknown. Clients that registered at a running server are unknown here.',
  }),
  createTool(clients, {
    name: 'create_client',
    title: 'Create a client',
    description: `Creates an OAuth client. A confidential client (client_secret_basic, the default, or client_secret_post) needs a client_secret. A public one (token_endpoint_auth_method none) has none. Fails if the client_id exists (use update_client). ${inMemoryOnly}`,
    arguments: fieldArguments(clientKind),
    prepare: (given) => changesOf(given, undefined),
    settle: withoutUselessSecret,
  }),
  updateTool(clients, {
    name: 'update_client',
    title: 'Change a client',
    description: `Changes the given fields of a declared OAuth client. Other fields, including the secret, stay unchanged. An empty list removes a restriction, and an empty colour clears it. Fails if the client_id is unknown. ${inMemoryOnly}`,
    arguments: fieldArguments(clientKind),
    prepare: (given, present) => ({ ...present, ...changesOf(given, present) }),
    settle: (entry, given) => (given.client_secret === undefined ? entry : withoutUselessSecret(entry)),
  }),
  deleteTool(clients, {
    title: 'Delete a client',
    description: `Deletes a declared OAuth client. Fails if the client_id is unknown. ${inMemoryOnly}`,
  }),
];

export const unknownClient = () => unknownEntry(clients);

/**
 * The given fields, with the scope restriction in the form of the entry (`scope` for a new one, WRT-12). If both forms
 * are given, they must be equivalent.
 */
function changesOf(
  fields: Readonly<Record<string, unknown>>,
  present: ClientEntry | undefined,
): Readonly<Record<string, unknown>> {
  const { scope, allowed_scopes: allowed, ...others } = fields;
  if (scope === undefined && allowed === undefined) return others;
  const written = typeof scope === 'string' ? wordsOf(scope) : undefined;
  const listed = Array.isArray(allowed) ? allowed.map(String) : undefined;
  if (written !== undefined && listed !== undefined && !sameMembers(written, listed)) {
    throw toolFailure(toolRefusals.tool_scopes_differ);
  }
  const scopes = listed ?? written ?? [];
  return present?.allowed_scopes === undefined
    ? { ...others, scope: scopes.length === 0 ? undefined : scopes.join(' ') }
    : { ...others, scope: undefined, allowed_scopes: scopes };
}

function wordsOf(scope: string): string[] {
  return scope.split(/\s+/).filter((word) => word !== '');
}

function sameMembers(one: readonly string[], other: readonly string[]): boolean {
  const first = new Set(one);
  const second = new Set(other);
  return first.size === second.size && [...first].every((member) => second.has(member));
}

/** A secret with `none` or `private_key_jwt` authenticates nothing (CFG-41), so it is dropped. */
function withoutUselessSecret(entry: ClientEntry): ClientEntry {
  return hasSecret(entry) ? entry : { ...entry, client_secret: undefined };
}
