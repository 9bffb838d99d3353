// Reading posted forms, the same rules for every form: a missing field says nothing, nor does one that was left as it was
// shown, a blank one clears, a blank secret stays, and a checkbox counts only next to its marker (WEB-11). Which controls
// there are is said in the models.

import type { Parameters } from '#shared/base/parameters.ts';
import { type EntryKind, entryMembers } from '#shared/model/configuration/entry-kinds.ts';
import { type FormField, meantByForm, shownInForm, textAreas } from '#shared/model/configuration/projections/form.ts';
import { valueAt } from '#shared/model/configuration/read-model.ts';

/** The trimmed text, or undefined when the form has no such field. */
export function textField(form: Parameters, name: string): string | undefined {
  return form.first(name)?.trim();
}

export function markerOf(name: string): string {
  return `${name}__on_form`;
}

/** undefined when the form shows no such checkbox. */
function checkboxField(form: Parameters, name: string): boolean | undefined {
  if (!form.has(markerOf(name))) return undefined;
  // What a checkbox without a value of its own sends is `on`.
  return !['', 'false', '0', 'off'].includes((form.value(name) ?? '').trim().toLowerCase());
}

/** All values of a repeated field in order, the empty ones too. */
export function repeatedField(form: Parameters, name: string): readonly string[] {
  return form.pairs.filter(([key]) => key === name).map(([, value]) => value);
}

/** A form as it is shown, by the names of its controls: what is typed, or a checkbox's state. */
export type FormValues = ReadonlyMap<string, string | boolean>;

/** A form that is filled with what an entry or the settings hold. */
export function shownValues(fields: readonly FormField[], root: unknown): FormValues {
  return new Map(fields.map((field) => [field.name, shownInForm(field, valueAt(root, field.field.path))]));
}

/** A form as it was posted, to be shown again; what it did not carry as before. */
export function typedValues(fields: readonly FormField[], form: Parameters, before: FormValues): FormValues {
  return new Map(
    fields.map(({ name, control }) => {
      const typed = control === 'checkbox' ? checkboxField(form, name) : form.first(name);
      return [name, typed ?? before.get(name) ?? ''];
    }),
  );
}

/**
 * What a browser sends of a text that it was shown, where nobody touches it: an input has no line ends, and in a text area they
 * may be any (HTML §4.10.5.1.2, §4.10.11).
 */
export function sentUntouched(text: string, isTextArea: boolean): string {
  return isTextArea ? text.replaceAll(/\r\n?/g, '\n') : text.replaceAll(/[\r\n]/g, '');
}

/** A control that was left as it was shown says nothing: what stands in a file need not be what it would be read as. */
export function isUntouched(form: Parameters, { name, control, notes }: FormField, shown: FormValues): boolean {
  const [typed, before] = [form.first(name), shown.get(name)];
  if (typed === undefined || typeof before !== 'string') return false;
  const asSent = (text: string) => {
    const sent = sentUntouched(text, textAreas.has(control));
    return notes.verbatim === true ? sent : sent.trim();
  };
  return asSent(typed) === asSent(before);
}

/** undefined: the form says nothing about the field. A value of undefined: it is left out. */
export function readControl(
  form: Parameters,
  field: FormField,
  shown: FormValues,
): { readonly value: unknown } | undefined {
  if (field.control === 'mapping' || isUntouched(form, field, shown)) return undefined;
  if (field.control === 'checkbox') {
    const value = checkboxField(form, field.name);
    return value === undefined ? undefined : { value };
  }
  const typed = form.first(field.name);
  if (typed === undefined || (field.control === 'secret' && typed.trim() === '')) return undefined;
  return { value: meantByForm(field, typed) };
}

/** An entry that is edited, and the form as it was filled with it. */
export interface Edited<Entry> {
  readonly entry: Entry;
  readonly shown: FormValues;
}

/** The members of the entry that the form asks for: the `edited` ones with what was typed. */
export function typedMembers<Entry, Effective>(
  kind: EntryKind<Entry, Effective>,
  fields: readonly FormField[],
  form: Parameters,
  edited: Edited<Entry> | undefined,
): Record<string, unknown> {
  const members = edited === undefined ? {} : entryMembers(kind, edited.entry);
  const shown = edited?.shown ?? new Map();
  for (const field of fields) {
    const read = readControl(form, field, shown);
    if (read === undefined || (field.field === kind.key && !kind.keyInEntry)) continue;
    if (read.value === undefined) delete members[field.field.name];
    else members[field.field.name] = read.value;
  }
  return members;
}
