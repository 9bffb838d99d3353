// One entry of users.yaml: every field with its type, bound and default. The loader, the REST body of a runtime user,
// the MCP argument schemas, the JSON Schema and the user form derive from this model (CFG-K74 to CFG-K83). An unknown
// key is an attribute (CFG-44). Rules over several fields are in checkUserEntry.

import type * as z from 'zod';
import { nearestName } from '#shared/base/nearest-name.ts';
import { soundsSecret } from '#shared/base/secrets/secret-names.ts';
import { isMapping } from '#shared/base/untrusted-values.ts';
import { isStandardClaim } from '#shared/protocol/oidc/claim-names.ts';
import { claimsModel } from './claims.ts';
import { type FieldNotes, fields } from './field.ts';
import { problemOfEmail, problemOfTotpSecret } from './text-formats.ts';
import { freeValue, judged, mappingOf, section, text, texts } from './value-kinds.ts';

const descriptionCharactersMax = 200;

const list = (byDefault: string[], notes: FieldNotes) => texts().default(byDefault).register(fields, notes);

export const userEntryModel = section({
  password: text()
    .nullable()
    .transform((value) => value ?? undefined)
    .optional()
    .register(fields, {
      description: 'Password for the login. Absent: the user can log in only in persona mode.',
      label: 'Password',
      secret: true,
      form: { section: 'login', verbatim: true },
      tool: { description: 'Password for the login, such as `secret`.' },
      yaml: 'always',
    }),
  description: text()
    .max(descriptionCharactersMax, `must have at most ${descriptionCharactersMax} characters`)
    .default('')
    .register(fields, {
      description: 'Shown in the list of users at the login, never in tokens.',
      label: 'Description',
      form: {
        section: 'login',
        wide: true,
        prose: true,
        hint: `Shown in the list of users at the login, never in tokens. At most ${descriptionCharactersMax} characters.`,
      },
      yaml: 'always',
    }),
  email: judged(problemOfEmail)
    .optional()
    .register(fields, {
      description: 'The e-mail address, or empty. Default: `<username>@example.org`.',
      pattern: '^$|@',
      label: 'E-mail',
      form: { section: 'profile', email: true, blank: '' },
      tool: { description: 'The e-mail address, such as `alice@example.org`, or empty for none.' },
      yaml: 'always',
    }),
  identity_class: text()
    .nullable()
    .default(null)
    .register(fields, {
      description: 'The identity class, such as INTERNAL.',
      label: 'Identity class',
      form: { section: 'profile', hint: 'Such as INTERNAL. Blank: none.', blank: null },
      tool: { description: 'The identity class, such as `INTERNAL`. null for none.', nullable: true },
    }),
  roles: list(['USER'], {
    description: 'Roles. Each becomes an authority with the prefix ROLE_.',
    label: 'Roles',
    example: '["USER", "ADMIN"]',
    form: { section: 'authorities', commas: true, hint: 'Separated by commas.' },
  }),
  groups: list([], {
    description: 'Groups. Each becomes an authority with the prefix GROUP_.',
    label: 'Groups',
    example: '["staff"]',
    form: { section: 'authorities', commas: true, hint: 'Separated by commas.' },
  }),
  entitlements: list([], {
    description: 'Entitlements. Each becomes an authority with the prefix ENT_.',
    label: 'Entitlements',
    example: '["REPORTS_READ"]',
    form: { section: 'authorities', newLine: true, hint: 'One per line.' },
    api: { asFlag: 'has_entitlements' },
  }),
  source_acl: list([], {
    description: 'Entries of access control lists.',
    label: 'ACL entries',
    example: '["project-a:read"]',
    form: { section: 'authorities', hint: 'One per line.' },
    api: { asFlag: 'has_acl' },
  }),
  tenant: text()
    .default('default')
    .register(fields, {
      description: 'The tenant of the user.',
      label: 'Tenant',
      form: { section: 'profile', hint: 'Blank: default.' },
    }),
  attributes: mappingOf(freeValue)
    .prefault({})
    .register(fields, {
      description: 'Custom attributes, of any type, at most 100 levels deep.',
      form: { section: 'attributes' },
      tool: { description: 'Custom attributes, such as `{"department": "IT"}`. Replaces all existing ones.' },
      api: false,
    }),
  claims: claimsModel.prefault({}).register(fields, {
    description:
      'Standard claims of OpenID Connect, each with its type, and custom claims. docs/claims.md shows which claim appears where.',
    label: 'Claims',
    example: '{"name": "Alice Example", "https://example.com/plan": "gold"}',
    form: { section: 'claims', json: true, hint: 'A JSON object, such as `{"name": "Alice Example"}`.' },
    tool: { description: 'Claims, such as `{"name": "Alice Example"}`. Replaces all existing ones.' },
    api: false,
  }),
  totp_secret: judged(problemOfTotpSecret)
    .nullable()
    .transform((value) => value ?? undefined)
    .optional()
    .register(fields, {
      description: 'Base32 secret of the second factor. No page, API or tool returns it.',
      label: 'Second factor',
      secret: true,
      form: false,
      tool: false,
      yaml: 'always',
    }),
});

export type UserEntry = Readonly<z.output<typeof userEntryModel>>;

/** A user entry with its name and an e-mail address that is always present. */
export interface User extends UserEntry {
  readonly username: string;
  /** The entry's address, or `<username>@example.org` when it has none. May be empty. */
  readonly email: string;
}

const knownKeys: ReadonlySet<string> = new Set(Object.keys(userEntryModel.shape));

/**
 * Moves unknown keys into `attributes`, unless that name already exists there (CFG-44). A value that is no mapping is
 * returned unchanged, and the model rejects it.
 */
export function gatherAttributes(entry: unknown): unknown {
  if (!isMapping(entry)) return entry;
  const unknown = Object.keys(entry).filter((key) => !knownKeys.has(key));
  if (unknown.length === 0) return entry;
  const declared = 'attributes' in entry ? entry.attributes : {};
  if (!isMapping(declared)) return entry;
  const gathered: Record<string, unknown> = Object.create(null);
  const attributes: Record<string, unknown> = Object.create(null);
  for (const [key, value] of Object.entries(entry)) if (knownKeys.has(key)) gathered[key] = value;
  Object.assign(attributes, declared);
  for (const key of unknown) if (!Object.hasOwn(attributes, key)) attributes[key] = entry[key];
  gathered.attributes = attributes;
  return gathered;
}

/** A key of an entry that would become an attribute, probably by mistake. */
interface DoubtfulKey {
  readonly key: string;
  /** Never an error: an unknown key is an attribute in both modes (CFG-44, RUN-04). */
  readonly level: 'warning' | 'info';
  readonly message: string;
}

/**
 * Warns of a name that is probably a mistake, because pages do not show spaces around it. Such a user can log in
 * (LOG-02).
 */
export function doubtfulName(username: string): string | undefined {
  return username === username.trim() ? undefined : 'begins or ends with a space. Remove it unless a test needs it';
}

/** An entry with more own keys has no typos in known keys, and checking thousands would delay other requests. */
const questionsMax = 200;

/**
 * Misspelt or misplaced keys among those that `gatherAttributes` moves. Keys under `attributes` itself are intended.
 */
export function doubtfulKeys(entry: unknown): readonly DoubtfulKey[] {
  if (!isMapping(entry)) return [];
  let questions = 0;
  return Object.keys(entry).flatMap((key): DoubtfulKey[] => {
    if (knownKeys.has(key)) return [];
    if (isStandardClaim(key)) {
      const message = 'becomes an attribute. Write it below claims to make it the standard claim with this name';
      return [{ key, level: 'info', message }];
    }
    questions += 1;
    const near = questions > questionsMax ? undefined : nearestName(key, knownKeys);
    const question = near === undefined ? '' : `. Did you mean ${JSON.stringify(near)}?`;
    const isSecret = soundsSecret(key) || near === 'password' || near === 'totp_secret';
    if (isSecret) {
      const remedy = question === '' ? '. If tokens may contain it, write it below attributes' : question;
      return [
        {
          key,
          level: 'warning',
          message: `looks like a secret, but becomes an attribute, which tokens contain${remedy}`,
        },
      ];
    }
    return near === undefined
      ? []
      : [{ key, level: 'warning', message: `is an unknown key and becomes an attribute${question}` }];
  });
}

/** The rules over several fields. Returns the first violated one as field and sentence (CFG-50). */
export function checkUserEntry(entry: UserEntry): { readonly field: string; readonly message: string } | undefined {
  return entry.totp_secret !== undefined && entry.password === undefined
    ? { field: 'totp_secret', message: 'requires a password. A second factor alone is not enough to log in' }
    : undefined;
}

export function userFromEntry(username: string, entry: UserEntry): User {
  return { ...entry, username, email: entry.email ?? addressMadeOf(username) };
}

/** The address of a user who has none. The index of the store computes the same one. */
export function addressMadeOf(username: string): string {
  return `${username}@example.org`;
}
