// The top level of users.yaml. Entries are read one by one with userEntryModel, so that one broken user is one finding
// with its place; `usersFileModel` states the whole for the JSON Schema.
import * as z from 'zod';
import { fields } from './field.ts';
import { configVersion } from './settings.ts';
import { userEntryModel } from './user-entry.ts';
import { section } from './value-kinds.ts';

/** What users.yaml holds besides its users. */
export const usersFileHeadModel = section({
  config_version: configVersion
    .default(1)
    .register(fields, { description: 'Version of the file format; 1 is the only one.' }),
  default_user: z
    .unknown()
    .optional()
    .register(fields, { description: 'Has no effect any more; remove it.', deprecated: true }),
});

/** A user in the file may carry further keys: they become attributes (CFG-44). */
export const usersFileModel = usersFileHeadModel.extend({
  users: z
    .record(z.string().min(1), userEntryModel.catchall(z.unknown()))
    .default({})
    .register(fields, { description: 'The users by name; the order is that of the persona picker.' }),
});
