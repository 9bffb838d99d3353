// Converts the user form's fields to an entry of users.yaml and back (WEB-04, WEB-05). Input is kept as text, so that a
// rejected form shows it again.

import type { Parameters } from '#shared/base/parameters.ts';
import { userKind } from '#shared/model/configuration/entry-kinds.ts';
import { formFields } from '#shared/model/configuration/projections/form.ts';
import { type UserEntry, userEntryModel } from '#shared/model/configuration/user-entry.ts';
import { asSentence, type FieldErrors, fieldErrors } from '../form-parts.tsx';
import {
  type FormValues,
  repeatedField,
  sentUnchanged,
  shownValues,
  typedMembers,
  typedValues,
} from '../form-values.ts';

type AttributeEncoding = 'string' | 'json' | 'auto';

export interface AttributeRow {
  readonly key: string;
  readonly value: string;
  readonly encoding: AttributeEncoding;
  readonly error?: string | undefined;
}

/** The form as text. The password is never filled in. */
export interface UserFormValues {
  readonly fields: FormValues;
  readonly attributes: readonly AttributeRow[];
}

export const userForm = formFields([userKind.key, ...userKind.fields]);

/** An entry without address gets the default one when it is written, not while the user types. */
export const newUserValues: UserFormValues = valuesOfEntry('', userEntryModel.parse({}));

export function valuesOfEntry(username: string, entry: UserEntry): UserFormValues {
  return {
    fields: shownValues(userForm, { ...entry, username }),
    attributes: Object.entries(entry.attributes).map(([key, value]) => rowOf(key, value)),
  };
}

function rowOf(key: string, value: unknown): AttributeRow {
  return typeof value === 'string'
    ? { key, value, encoding: 'string' }
    : { key, value: JSON.stringify(value), encoding: 'json' };
}

export function valuesOfForm(form: Parameters, before: UserFormValues): UserFormValues {
  return {
    fields: typedValues(userForm, form, before.fields),
    attributes: form.has('attr_key[]') ? attributeRows(form) : before.attributes,
  };
}

type UserReading =
  | { readonly outcome: 'read'; readonly entry: UserEntry }
  | { readonly outcome: 'refused'; readonly errors: FieldErrors; readonly attributes: readonly AttributeRow[] };

/**
 * `current` is the entry being edited: password and TOTP secret stay, and so do members that the form does not contain.
 */
export function readUserForm(form: Parameters, current: UserEntry | undefined): UserReading {
  const rows = form.has('attr_key[]') ? attributeRows(form) : undefined;
  const edited = current && { entry: current, shown: valuesOfEntry('', current).fields };
  const members = typedMembers(userKind, userForm, form, edited);
  // Blank on a new user: the entry has no address and gets the default one (CFG-K77).
  if (current === undefined && members.email === '') delete members.email;
  const attributes = rows === undefined ? (current?.attributes ?? {}) : attributesOf(rows, current);
  const parsed = userEntryModel.safeParse({ ...members, attributes });
  const refusedRow = rows?.some(({ error }) => error !== undefined) ?? false;
  if (parsed.success && !refusedRow) return { outcome: 'read', entry: parsed.data };
  const errors = new Map(parsed.success ? [] : fieldErrors(parsed.error.issues));
  if (refusedRow) errors.set('attributes', 'An attribute is not well-formed JSON.');
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

/** An unchanged row stands for exactly the same attribute. */
function attributesOf(rows: readonly AttributeRow[], current: UserEntry | undefined): Record<string, unknown> {
  const shown = new Map(
    Object.entries(current?.attributes ?? {}).map((attribute) => [rowAsSent(rowOf(...attribute)), attribute]),
  );
  return Object.fromEntries(
    rows
      .filter((row) => !isDropped(row) && row.error === undefined)
      .map((row) => shown.get(rowAsSent(row)) ?? [row.key, attributeValue(row)]),
  );
}

function rowAsSent({ key, value, encoding }: AttributeRow): string {
  return JSON.stringify([sentUnchanged(key, false).trim(), sentUnchanged(value, false), encoding]);
}

/** `auto`: text that looks like a JSON list or object becomes one if it parses. All other text stays text. */
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
