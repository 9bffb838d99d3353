// Clients of the copy: list, read, create, change, delete (MCP-25 to MCP-28). The entry's model judges formats and
// fields together; whatever it refuses changes nothing (MCP-19). No tool shows a secret.
import * as z from 'zod';
import {
  type Client,
  type ClientEntry,
  isPublicClient,
  tokenEndpointAuthMethods,
} from '#shared/configuration/model/client-entry.ts';
import { readClientEntry } from '#shared/configuration/model/read-entry.ts';
import { clientFieldArguments, clientIdArgument } from '../argument-models.ts';
import {
  inMemoryOnly,
  nextPage,
  nextPageOutput,
  pageArguments,
  pageOf,
  revisionOutput,
  successOutput,
} from '../common-models.ts';
import { defineTool, type Tool, ToolFailure, type ToolResult } from '../tool.ts';
import { given } from './user-tools.ts';

const clientOutput = z
  .object({
    client_id: z.string(),
    token_endpoint_auth_method: z.enum(tokenEndpointAuthMethods),
    description: z.string(),
    background_color: z.string().nullable(),
    header_color: z.string().nullable(),
    footer_color: z.string().nullable(),
    show_client_id: z.boolean(),
    show_description: z.boolean(),
    layout: z.enum(['vertical', 'horizontal']),
    redirect_uris: z.array(z.string()),
    post_logout_redirect_uris: z.array(z.string()),
    additional_audiences: z.array(z.string()),
    allowed_scopes: z.array(z.string()),
    allowed_resources: z.array(z.string()),
    scope: z.string(),
  })
  .meta({ description: 'A client without its secret; `scope` and `allowed_scopes` say the same.' });

/** Said in full by the reading tools alone: every schema costs the reader's context. */
const changedClientOutput = z
  .looseObject({ client_id: z.string() })
  .meta({ description: 'The client as get_client answers it.' });

/** Without its secret. */
export function showClient(client: Client): ToolResult {
  return {
    client_id: client.client_id,
    token_endpoint_auth_method: client.token_endpoint_auth_method,
    description: client.description,
    background_color: client.background_color ?? null,
    header_color: client.header_color ?? null,
    footer_color: client.footer_color ?? null,
    show_client_id: client.show_client_id,
    show_description: client.show_description,
    layout: client.layout,
    redirect_uris: client.redirect_uris,
    post_logout_redirect_uris: client.post_logout_redirect_uris,
    additional_audiences: client.additional_audiences,
    allowed_scopes: client.scopes,
    allowed_resources: client.allowed_resources,
    scope: client.scopes.join(' '),
  };
}

const listClients = defineTool({
  name: 'list_clients',
  title: 'List clients',
  description:
    'Lists the OAuth clients declared in this server’s copy of settings.yaml, unsaved changes included. Use it to find a client_id, or to learn settings_revision for save_config. It shows neither secrets nor clients that registered at a running server.',
  arguments: pageArguments,
  output: {
    count: z.int().meta({ description: 'How many clients there are, however many are shown.' }),
    settings_revision: revisionOutput('settings.yaml'),
    clients: z.array(clientOutput),
    ...nextPageOutput,
  },
  handle(page, { draft }) {
    const clients = [...draft.snapshot().clients.values()];
    return {
      count: clients.length,
      settings_revision: draft.revisions.settings,
      clients: pageOf(clients, page).map(showClient),
      ...nextPage(clients.length, page),
    };
  },
});

const getClient = defineTool({
  name: 'get_client',
  title: 'Read a client',
  description:
    'Reads one declared OAuth client of this server’s copy by its client_id. Answers found: false for an unknown one; a client that registered at a running server is unknown here. Never shows the secret.',
  arguments: { client_id: clientIdArgument },
  output: {
    found: z.boolean(),
    client: clientOutput.optional(),
    client_id: z.string().optional(),
    settings_revision: revisionOutput('settings.yaml'),
  },
  handle({ client_id: clientId }, { draft }) {
    const revision = { settings_revision: draft.revisions.settings };
    const client = draft.snapshot().clients.get(clientId);
    return client === undefined
      ? { found: false, client_id: clientId, ...revision }
      : { found: true, client: showClient(client), ...revision };
  },
});

const createClient = defineTool({
  name: 'create_client',
  title: 'Create a client',
  description: `Creates an OAuth client. A confidential client (client_secret_basic, the default, or client_secret_post) needs a client_secret; a public one (token_endpoint_auth_method none) has none. Fails for a client_id that exists: use update_client then. ${inMemoryOnly}`,
  mutating: true,
  arguments: { client_id: clientIdArgument, ...clientFieldArguments },
  output: { ...successOutput, client: changedClientOutput.optional() },
  handle({ client_id: clientId, ...fields }, { draft }) {
    if (draft.clientEntry(clientId) !== undefined) {
      throw new ToolFailure('A client of that client_id exists already; change it with update_client.');
    }
    const entry = readEntry({ ...changesOf(fields, undefined), client_id: clientId });
    return { success: true, client: showClient(draft.putClient(withoutUselessSecret(entry))) };
  },
});

const updateClient = defineTool({
  name: 'update_client',
  title: 'Change a client',
  description: `Changes the given fields of a declared OAuth client and leaves the others as they are, the secret included; an empty list lifts a restriction, an empty colour clears it. Fails for an unknown client_id. ${inMemoryOnly}`,
  mutating: true,
  idempotent: true,
  destructive: true,
  arguments: { client_id: clientIdArgument, ...clientFieldArguments },
  output: { ...successOutput, client: changedClientOutput.optional() },
  handle({ client_id: clientId, ...fields }, { draft }) {
    const present = draft.clientEntry(clientId);
    if (present === undefined) throw unknownClient();
    const entry = readEntry({ ...present, ...changesOf(fields, present), client_id: clientId });
    const changed = fields.client_secret === undefined ? entry : withoutUselessSecret(entry);
    return { success: true, client: showClient(draft.putClient(changed)) };
  },
});

const deleteClient = defineTool({
  name: 'delete_client',
  title: 'Delete a client',
  description: `Deletes a declared OAuth client from this server’s copy. Fails for an unknown client_id. ${inMemoryOnly}`,
  mutating: true,
  destructive: true,
  arguments: { client_id: clientIdArgument },
  output: { ...successOutput, deleted: z.string().optional() },
  handle({ client_id: clientId }, { draft }) {
    if (!draft.deleteClient(clientId)) throw unknownClient();
    return { success: true, deleted: clientId };
  },
});

export const clientTools: readonly Tool[] = [listClients, getClient, createClient, updateClient, deleteClient];

export function unknownClient(): ToolFailure {
  return new ToolFailure('There is no declared client of that client_id; list_clients shows those there are.');
}

/**
 * The fields given, with the scope restriction in the form the entry has (`scope` for a new one, WRT-12). Whoever
 * gives both forms must mean the same by both.
 */
function changesOf(
  fields: Readonly<Record<string, unknown>>,
  present: ClientEntry | undefined,
): Readonly<Record<string, unknown>> {
  const { scope, allowed_scopes: allowed, ...others } = given(fields);
  if (scope === undefined && allowed === undefined) return others;
  const written = typeof scope === 'string' ? wordsOf(scope) : undefined;
  const listed = Array.isArray(allowed) ? allowed.map(String) : undefined;
  if (written !== undefined && listed !== undefined && !sameMembers(written, listed)) {
    throw new ToolFailure('scope and allowed_scopes name different scopes; give one of them.', { kind: 'invalid' });
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

function readEntry(fields: Readonly<Record<string, unknown>>): ClientEntry {
  const reading = readClientEntry(fields);
  if (reading.outcome === 'refused') throw new ToolFailure(`${reading.message}.`, { kind: 'invalid' });
  return reading.entry;
}

/** A secret beside `none` authenticates nothing (CFG-41): one that is given with it is dropped. */
function withoutUselessSecret(entry: ClientEntry): ClientEntry {
  return isPublicClient(entry) ? { ...entry, client_secret: undefined } : entry;
}
