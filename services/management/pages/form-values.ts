// Reads posted forms, with the same rules for every form (WEB-11). A missing or unchanged field changes nothing, a
// blank one clears, and a blank secret keeps the stored one. A checkbox counts only next to its marker. The models
// define the controls.

import type { Parameters } from '#shared/base/parameters.ts';
import { type EntryKind, entryMembers } from '#shared/model/configuration/entry-kinds.ts';
import { type FormField, shownInForm, textAreas, valueFromForm } from '#shared/model/configuration/projections/form.ts';
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
  // A checkbox without a value attribute sends `on`.
  return !['', 'false', '0', 'off'].includes((form.value(name) ?? '').trim().toLowerCase());
}

/** All values of a repeated field in order, the empty ones too. */
export function repeatedField(form: Parameters, name: string): readonly string[] {
  return form.pairs.filter(([key]) => key === name).map(([, value]) => value);
}

/** A form as it is shown, by the names of its controls: the text, or the state of a checkbox. */
export type FormValues = ReadonlyMap<string, string | boolean>;

/** A form that is filled with the values of an entry or the settings. */
export function shownValues(fields: readonly FormField[], root: unknown): FormValues {
  return new Map(fields.map((field) => [field.name, shownInForm(field, valueAt(root, field.field.path))]));
}

/** A form as it was posted, to be shown again. Fields that were not posted are unchanged. */
export function typedValues(fields: readonly FormField[], form: Parameters, before: FormValues): FormValues {
  return new Map(
    fields.map(({ name, control }) => {
      const typed = control === 'checkbox' ? checkboxField(form, name) : form.first(name);
      return [name, typed ?? before.get(name) ?? ''];
    }),
  );
}

/**
 * The text that a browser sends for an unchanged field. An input has no line ends, and in a text area they may have any
 * form (HTML §4.10.5.1.2, §4.10.11).
 */
export function sentUnchanged(text: string, isTextArea: boolean): string {
  return isTextArea ? text.replaceAll(/\r\n?/g, '\n') : text.replaceAll(/[\r\n]/g, '');
}

/** An unchanged control changes nothing: the text in a file may differ from the form in which it would be read. */
export function isUntouched(form: Parameters, { name, control, notes }: FormField, shown: FormValues): boolean {
  const [typed, before] = [form.first(name), shown.get(name)];
  if (typed === undefined || typeof before !== 'string') return false;
  const asSent = (text: string) => {
    const sent = sentUnchanged(text, textAreas.has(control));
    return notes.verbatim === true ? sent : sent.trim();
  };
  return asSent(typed) === asSent(before);
}

/** undefined: the form does not change the field. A value of undefined: the member is removed. */
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
  return { value: valueFromForm(field, typed) };
}

/** An entry that is being edited, and the form as it was filled from it. */
export interface Edited<Entry> {
  readonly entry: Entry;
  readonly shown: FormValues;
}

/** The members of the entry after the form: those of `edited` with the input applied. */
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
