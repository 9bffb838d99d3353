// Users of the copy: list, read, create, change, delete (MCP-22 to MCP-25). The entry's model judges formats and fields
// together; whatever it refuses changes nothing (MCP-19).
import * as z from 'zod';
import { readUserEntry } from '#shared/configuration/model/read-entry.ts';
import type { User, UserEntry } from '#shared/configuration/model/user-entry.ts';
import { passwordArgument, userFieldArguments, usernameArgument } from '../argument-models.ts';
import {
  inMemoryOnly,
  nextPage,
  nextPageOutput,
  pageArguments,
  pageOf,
  revisionOutput,
  successOutput,
} from '../common-models.ts';
import type { DraftConfiguration } from '../draft-configuration.ts';
import { defineTool, type Tool, ToolFailure, type ToolResult } from '../tool.ts';

const userOutput = z
  .object({
    username: z.string(),
    description: z.string(),
    email: z.string(),
    roles: z.array(z.string()),
    groups: z.array(z.string()),
    entitlements: z.array(z.string()),
    source_acl: z.array(z.string()),
    tenant: z.string(),
    identity_class: z.string().nullable(),
    attributes: z.record(z.string(), z.unknown()),
  })
  .meta({ description: 'A user without password and TOTP secret.' });

/** Said in full by the reading tools alone: every schema costs the reader's context. */
const changedUserOutput = z
  .looseObject({ username: z.string() })
  .meta({ description: 'The user as get_user answers it.' });

/** Without password and TOTP secret: no tool shows them. */
export function showUser(user: User): ToolResult {
  return {
    username: user.username,
    description: user.description,
    email: user.email,
    roles: user.roles,
    groups: user.groups,
    entitlements: user.entitlements,
    source_acl: user.source_acl,
    tenant: user.tenant,
    identity_class: user.identity_class,
    attributes: user.attributes,
  };
}

const listUsers = defineTool({
  name: 'list_users',
  title: 'List users',
  description:
    'Lists the users declared in this server’s copy of users.yaml, unsaved changes included. Use it to find out who exists before creating or changing a user, or to learn users_revision for save_config. It does not show runtime users of a running server, nor passwords.',
  arguments: pageArguments,
  output: {
    count: z.int().meta({ description: 'How many users there are, however many are shown.' }),
    users_revision: revisionOutput('users.yaml'),
    users: z.array(userOutput),
    ...nextPageOutput,
  },
  handle(page, { draft }) {
    const users = [...draft.snapshot().users.values()];
    return {
      count: users.length,
      users_revision: draft.revisions.users,
      users: pageOf(users, page).map(showUser),
      ...nextPage(users.length, page),
    };
  },
});

const getUser = defineTool({
  name: 'get_user',
  title: 'Read a user',
  description:
    'Reads one declared user of this server’s copy by name. Answers found: false for an unknown name; a runtime user of a running server is unknown here. Never shows the password or the TOTP secret.',
  arguments: { username: usernameArgument },
  output: {
    found: z.boolean(),
    user: userOutput.optional(),
    username: z.string().optional(),
    users_revision: revisionOutput('users.yaml'),
  },
  handle({ username }, { draft }) {
    const revision = { users_revision: draft.revisions.users };
    const user = draft.snapshot().users.get(username);
    return user === undefined
      ? { found: false, username, ...revision }
      : { found: true, user: showUser(user), ...revision };
  },
});

const createUser = defineTool({
  name: 'create_user',
  title: 'Create a user',
  description: `Creates a user with a password. Fields left out get their defaults (role USER, tenant default, no e-mail address). Fails for a name that exists: use update_user then. ${inMemoryOnly}`,
  mutating: true,
  arguments: { username: usernameArgument, password: passwordArgument, ...userFieldArguments },
  output: { ...successOutput, user: changedUserOutput.optional() },
  handle: ({ username, ...fields }, { draft }) => addUser(username, fields, draft),
});

const createPersonaUser = defineTool({
  name: 'create_persona_user',
  title: 'Create a persona',
  description: `Creates a user without a password, for login.mode persona, where a user is chosen from a list. Such a user never passes a password check. Fails for a name that exists. ${inMemoryOnly}`,
  mutating: true,
  arguments: { username: usernameArgument, ...userFieldArguments },
  output: { ...successOutput, user: changedUserOutput.optional() },
  handle: ({ username, ...fields }, { draft }) => addUser(username, fields, draft),
});

const newPasswordArgument = passwordArgument.meta({ description: 'The new password; left out: as it is.' }).optional();

const updateUser = defineTool({
  name: 'update_user',
  title: 'Change a user',
  description: `Changes the given fields of a declared user and leaves the others as they are; attributes are replaced as a whole, and the TOTP secret stays. Fails for an unknown name. ${inMemoryOnly}`,
  mutating: true,
  idempotent: true,
  destructive: true,
  arguments: { username: usernameArgument, password: newPasswordArgument, ...userFieldArguments },
  output: { ...successOutput, user: changedUserOutput.optional() },
  handle({ username, ...fields }, { draft }) {
    const present = draft.userEntry(username);
    if (present === undefined) throw unknownUser();
    const entry = readEntry({ ...present, ...given(fields) });
    return { success: true, user: showUser(draft.putUser(username, entry)) };
  },
});

const deleteUser = defineTool({
  name: 'delete_user',
  title: 'Delete a user',
  description: `Deletes a declared user from this server’s copy. Fails for an unknown name; tokens issued to the user stay valid. ${inMemoryOnly}`,
  mutating: true,
  destructive: true,
  arguments: { username: usernameArgument },
  output: { ...successOutput, deleted: z.string().optional() },
  handle({ username }, { draft }) {
    if (!draft.deleteUser(username)) throw unknownUser();
    return { success: true, deleted: username };
  },
});

export const userTools: readonly Tool[] = [listUsers, getUser, createUser, createPersonaUser, updateUser, deleteUser];

export function unknownUser(): ToolFailure {
  return new ToolFailure('There is no declared user of that name; list_users shows those there are.');
}

function addUser(username: string, fields: Readonly<Record<string, unknown>>, draft: DraftConfiguration): ToolResult {
  if (draft.userEntry(username) !== undefined) {
    throw new ToolFailure('A user of that name exists already; change it with update_user, or choose another name.');
  }
  // A create has no e-mail address unless one is given; the files' own default is for entries written by hand.
  const entry = readEntry({ email: '', ...given(fields) });
  return { success: true, user: showUser(draft.putUser(username, entry)) };
}

function readEntry(fields: Readonly<Record<string, unknown>>): UserEntry {
  const reading = readUserEntry(fields);
  if (reading.outcome === 'refused') throw new ToolFailure(`${reading.message}.`, { kind: 'invalid' });
  return reading.entry;
}

/** An argument that is not there means "as it is". */
export function given(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
