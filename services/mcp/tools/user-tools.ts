// Users of the copy (MCP-22 to MCP-25).
import { userKind } from '#shared/model/configuration/entry-kinds.ts';
import { textArgument } from '#shared/model/configuration/projections/tool-argument.ts';
import { fieldAt } from '#shared/model/configuration/read-model.ts';
import { type User, type UserEntry, userEntryModel } from '#shared/model/configuration/user-entry.ts';
import { inMemoryOnly } from '../common-models.ts';
import type { Tool } from '../tool.ts';
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

const users: EntryFamily<UserEntry, User> = {
  kind: userKind,
  called: 'name',
  revision: 'users',
  answers: 'A user without password and TOTP secret.',
  all: (draft) => draft.snapshot().users,
  entry: (draft, name) => draft.userEntry(name),
  put: (draft, name, entry) => draft.putUser(name, entry),
  delete: (draft, name) => draft.deleteUser(name),
};

export const usernameArgument = textArgument(userKind.key);

const { password: _password, ...profileArguments } = fieldArguments(userKind);
const passwordArgument = textArgument(fieldAt(userEntryModel, 'password'));

/**
 * A created user has no e-mail address unless one is given. The default of the files is for entries written by hand.
 */
const prepareNew = (given: Readonly<Record<string, unknown>>) => ({ email: '', ...given });

export const userTools: readonly Tool[] = [
  listTool(users, {
    title: 'List users',
    description:
      'Lists the users in this server’s copy of users.yaml, including unsaved changes. Use it before creating or changing a user, or to get users_revision for save_config. It shows no passwords and no runtime users of a running server.',
  }),
  getTool(users, {
    title: 'Read a user',
    description:
      'Returns a declared user by name, without password and TOTP secret. Returns found: false if the user is unknown. Runtime users of a running server are unknown here.',
  }),
  createTool(users, {
    name: 'create_user',
    title: 'Create a user',
    description: `Creates a user with a password. Missing fields get defaults (role USER, tenant default, no e-mail address). Fails if the name exists (use update_user). ${inMemoryOnly}`,
    arguments: { ...profileArguments, password: passwordArgument },
    prepare: prepareNew,
  }),
  createTool(users, {
    name: 'create_persona_user',
    title: 'Create a persona',
    description: `Creates a user without a password, for login.mode persona, where users are chosen from a list. Such a user never passes a password check. Fails if the name exists. ${inMemoryOnly}`,
    arguments: profileArguments,
    prepare: prepareNew,
  }),
  updateTool(users, {
    name: 'update_user',
    title: 'Change a user',
    description: `Changes the given fields of a declared user. Other fields and the TOTP secret stay unchanged. attributes replaces all attributes. Fails if the name is unknown. ${inMemoryOnly}`,
    arguments: {
      ...profileArguments,
      password: passwordArgument.meta({ description: 'The new password. Default: unchanged.' }).optional(),
    },
    prepare: (given, present) => ({ ...present, ...given }),
  }),
  deleteTool(users, {
    title: 'Delete a user',
    description: `Deletes a declared user. Tokens of the user stay valid. Fails if the name is unknown. ${inMemoryOnly}`,
  }),
];

export const unknownUser = () => unknownEntry(users);
