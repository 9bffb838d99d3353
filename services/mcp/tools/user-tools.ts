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
      'Lists the users declared in this server’s copy of users.yaml, unsaved changes included. Use it to find out who exists before creating or changing a user, or to learn users_revision for save_config. It does not show runtime users of a running server, nor passwords.',
  }),
  getTool(users, {
    title: 'Read a user',
    description:
      'Reads one declared user of this server’s copy by name. Answers found: false for an unknown name; a runtime user of a running server is unknown here. Never shows the password or the TOTP secret.',
  }),
  createTool(users, {
    name: 'create_user',
    title: 'Create a user',
    description: `Creates a user with a password. Fields left out get their defaults (role USER, tenant default, no e-mail address). Fails for a name that exists: use update_user then. ${inMemoryOnly}`,
    arguments: { ...profileArguments, password: passwordArgument },
    prepare: prepareNew,
  }),
  createTool(users, {
    name: 'create_persona_user',
    title: 'Create a persona',
    description: `Creates a user without a password, for login.mode persona, where a user is chosen from a list. Such a user never passes a password check. Fails for a name that exists. ${inMemoryOnly}`,
    arguments: profileArguments,
    prepare: prepareNew,
  }),
  updateTool(users, {
    name: 'update_user',
    title: 'Change a user',
    description: `Changes the given fields of a declared user and leaves the others as they are; attributes are replaced as a whole, and the TOTP secret stays. Fails for an unknown name. ${inMemoryOnly}`,
    arguments: {
      ...profileArguments,
      password: passwordArgument.meta({ description: 'The new password; left out: as it is.' }).optional(),
    },
    prepare: (given, present) => ({ ...present, ...given }),
  }),
  deleteTool(users, {
    title: 'Delete a user',
    description: `Deletes a declared user from this server’s copy. Fails for an unknown name; tokens issued to the user stay valid. ${inMemoryOnly}`,
  }),
];

export const unknownUser = () => unknownEntry(users);
