// The user form's fields to an entry of users.yaml and back (WEB-04, WEB-05). What was typed is kept as text, so that a
// refused form shows it again.
import { type UserEntry, userEntryModel } from '#shared/configuration/model/user-entry.ts';
import type { Parameters } from '#shared/http/parameters.ts';
import { asSentence, type FieldErrors, fieldErrors } from '../form-parts.tsx';
import { commaField, lineField, repeatedField, textField } from '../form-values.ts';

export type AttributeEncoding = 'string' | 'json' | 'auto';

export interface AttributeRow {
  readonly key: string;
  readonly value: string;
  readonly encoding: AttributeEncoding;
  readonly error?: string | undefined;
}

/** The form as text, field by field. The password is never filled in. */
export interface UserFormValues {
  readonly username: string;
  readonly description: string;
  readonly email: string;
  readonly identity_class: string;
  readonly tenant: string;
  readonly roles: string;
  readonly groups: string;
  readonly entitlements: string;
  readonly source_acl: string;
  readonly attributes: readonly AttributeRow[];
}

export const newUserValues: UserFormValues = {
  username: '',
  description: '',
  email: '',
  identity_class: '',
  tenant: 'default',
  roles: 'USER',
  groups: '',
  entitlements: '',
  source_acl: '',
  attributes: [],
};

export function valuesOfEntry(username: string, entry: UserEntry): UserFormValues {
  return {
    username,
    description: entry.description,
    email: entry.email ?? '',
    identity_class: entry.identity_class ?? '',
    tenant: entry.tenant,
    roles: entry.roles.join(', '),
    groups: entry.groups.join(', '),
    entitlements: entry.entitlements.join('\n'),
    source_acl: entry.source_acl.join('\n'),
    attributes: Object.entries(entry.attributes).map(([key, value]) =>
      typeof value === 'string'
        ? { key, value, encoding: 'string' }
        : { key, value: JSON.stringify(value), encoding: 'json' },
    ),
  };
}

export function valuesOfForm(form: Parameters, before: UserFormValues): UserFormValues {
  const typed = (name: Exclude<keyof UserFormValues, 'attributes'>) => form.first(name) ?? before[name];
  return {
    username: typed('username'),
    description: typed('description'),
    email: typed('email'),
    identity_class: typed('identity_class'),
    tenant: typed('tenant'),
    roles: typed('roles'),
    groups: typed('groups'),
    entitlements: typed('entitlements'),
    source_acl: typed('source_acl'),
    attributes: form.has('attr_key[]') ? attributeRows(form) : before.attributes,
  };
}

export type UserReading =
  | { readonly outcome: 'read'; readonly entry: UserEntry }
  | { readonly outcome: 'refused'; readonly errors: FieldErrors; readonly attributes: readonly AttributeRow[] };

/** `current` is the entry being edited: password and TOTP secret stay, and so does what the form does not carry. */
export function readUserForm(form: Parameters, current: UserEntry | undefined): UserReading {
  const rows = form.has('attr_key[]') ? attributeRows(form) : undefined;
  const password = form.first('password') ?? '';
  const identityClass = textField(form, 'identity_class');
  const tenant = textField(form, 'tenant');
  const parsed = userEntryModel.safeParse({
    ...defined({
      password: password.trim() === '' ? current?.password : password,
      description: textField(form, 'description') ?? current?.description,
      // Blank on a new user: the entry has no address and gets the usual one (CFG-K77).
      email:
        current === undefined ? textField(form, 'email') || undefined : (textField(form, 'email') ?? current.email),
      identity_class: identityClass === undefined ? current?.identity_class : identityClass || null,
      tenant: tenant === undefined ? current?.tenant : tenant || 'default',
      roles: commaField(form, 'roles') ?? current?.roles,
      groups: commaField(form, 'groups') ?? current?.groups,
      entitlements: lineField(form, 'entitlements') ?? current?.entitlements,
      source_acl: lineField(form, 'source_acl') ?? current?.source_acl,
      totp_secret: current?.totp_secret,
    }),
    attributes: rows === undefined ? (current?.attributes ?? {}) : attributesOf(rows),
  });
  const refusedRow = rows?.some(({ error }) => error !== undefined) ?? false;
  if (parsed.success && !refusedRow) return { outcome: 'read', entry: parsed.data };
  const errors = new Map(parsed.success ? [] : fieldErrors(parsed.error.issues));
  if (refusedRow) errors.set('attributes', 'An attribute is no well-formed JSON.');
  return { outcome: 'refused', errors, attributes: rows ?? [] };
}

function attributeRows(form: Parameters): AttributeRow[] {
  const values = repeatedField(form, 'attr_value[]');
  const encodings = repeatedField(form, 'attr_encoding[]');
  return repeatedField(form, 'attr_key[]').map((key, index) => {
    const encoding = encodings[index];
    const row: AttributeRow = {
      key: key.trim(),
      value: values[index] ?? '',
      encoding: encoding === 'string' || encoding === 'json' ? encoding : 'auto',
    };
    return isDropped(row) ? row : { ...row, error: problemOfRow(row) };
  });
}

/** A blank key or value removes the attribute (WEB-04). */
function isDropped(row: AttributeRow): boolean {
  return row.key === '' || row.value.trim() === '';
}

function problemOfRow(row: AttributeRow): string | undefined {
  if (row.encoding !== 'json') return undefined;
  try {
    JSON.parse(row.value);
    return undefined;
  } catch (error) {
    return asSentence(`Not well-formed JSON: ${error instanceof Error ? error.message : 'unreadable'}`);
  }
}

function attributesOf(rows: readonly AttributeRow[]): Record<string, unknown> {
  return Object.fromEntries(
    rows.filter((row) => !isDropped(row) && row.error === undefined).map((row) => [row.key, attributeValue(row)]),
  );
}

/** `auto`: what looks like a JSON list or object is one if it parses, all else is text. */
function attributeValue({ value, encoding }: AttributeRow): unknown {
  if (encoding === 'string') return value;
  if (encoding === 'json') return JSON.parse(value);
  if (!/^\s*[[{]/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

function defined(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
