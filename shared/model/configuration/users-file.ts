// The top level of users.yaml. Entries are read one by one with userEntryModel, so that one invalid user is one finding
// with its position. `usersFileModel` describes the whole file for the JSON Schema.
import * as z from 'zod';
import { fields } from './field.ts';
import { configVersion } from './settings.ts';
import { userEntryModel } from './user-entry.ts';
import { section } from './value-kinds.ts';

/** The members of users.yaml except its users. */
export const usersFileHeadModel = section({
  config_version: configVersion.default(1).register(fields, { description: 'Version of the file format. Always 1.' }),
  default_user: z
    .unknown()
    .optional()
    .register(fields, { description: 'Has no effect any more. Remove it.', deprecated: true }),
});

/** A user in the file may have further keys, which become attributes (CFG-44). */
export const usersFileModel = usersFileHeadModel.extend({
  users: z
    .record(z.string().min(1), userEntryModel.catchall(z.unknown()))
    .default({})
    .register(fields, { description: 'The users by name, in the order of the persona picker.' }),
});
