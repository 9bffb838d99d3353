// One entry of users.yaml: every field with its type, bound and default. The loader, the REST body of a runtime user,
// the MCP argument schemas, the JSON Schema and the user form follow from this model (CFG-K74 to CFG-K83).
import { z } from 'zod';

const listOfText = (description: string) => z.array(z.string()).meta({ description });

export const userEntryModel = z.object({
  password: z
    .string()
    .nullable()
    .transform((value) => value ?? undefined)
    .optional()
    .meta({ description: 'What the user types to log in. Absent: a persona that can only be chosen in persona mode.' }),
  description: z
    .string()
    .max(200)
    .default('')
    .meta({ description: 'Shown to people who choose a user; never a claim.' }),
  email: z
    .string()
    .refine((value) => value === '' || value.includes('@'), 'must be empty or contain @')
    .optional()
    .meta({ description: 'The e-mail address; `<username>@example.org` when absent.' }),
  identity_class: z.string().nullable().default(null).meta({ description: 'The class of identity, such as INTERNAL.' }),
  roles: listOfText('Roles, each an authority with the prefix ROLE_.').default(['USER']),
  groups: listOfText('Groups, each an authority with the prefix GROUP_.').default([]),
  entitlements: listOfText('Entitlements, each an authority with the prefix ENT_.').default([]),
  source_acl: listOfText('Entries of access control lists.').default([]),
  tenant: z.string().default('default').meta({ description: 'The tenant the user belongs to.' }),
  attributes: z.record(z.string(), z.unknown()).default({}).meta({ description: 'Custom attributes, of any type.' }),
  totp_secret: z
    .string()
    .optional()
    .meta({ description: 'Base32 secret of the second factor; no read surface ever returns it.' }),
});

export type UserEntry = Readonly<z.output<typeof userEntryModel>>;

/** A user entry with its name and an e-mail address that is always there. */
export interface User extends UserEntry {
  readonly username: string;
  /** The entry's address, or `<username>@example.org` when it has none. May be the empty text. */
  readonly email: string;
}
