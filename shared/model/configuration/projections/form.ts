// The controls of a web form from the rows: which there are, in which section, what they are called, how a value becomes
// text and what a typed text means. What a browser posts is read in services/management/pages/form-values.ts.
import type { FormNotes } from '../field.ts';
import type { FormSectionNotes } from '../form-sections.ts';
import type { ModelField } from '../read-model.ts';

/** A `mapping` has a control only where a page renders one of its own. */
type Control = 'text' | 'number' | 'lines' | 'commas' | 'checkbox' | 'choice' | 'secret' | 'json' | 'pem' | 'mapping';

/** The others have one line. */
export const textAreas: ReadonlySet<Control> = new Set<Control>(['lines', 'json', 'pem']);

export interface FormField {
  readonly field: ModelField;
  /** The name of the control. */
  readonly name: string;
  readonly control: Control;
  readonly label: string;
  /** In the words of the model: `code` in backquotes. */
  readonly hint: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly notes: FormNotes;
}

/** A mapping or a list of them has no control of its own: it is offered only where its notes say so. */
export function isOfferedInForm({ kind, notes }: ModelField): boolean {
  if (notes.fileOnly === true || notes.form === false || notes.form === 'elsewhere') return false;
  return notes.form !== undefined || (kind !== 'mapping' && kind !== 'other');
}

/** The controls for the fields that forms offer, in the order in which they are shown. */
export function formFields(fields: readonly ModelField[]): readonly FormField[] {
  const rank = ({ notes }: FormField) => notes.rank ?? 0;
  return fields
    .filter(isOfferedInForm)
    .map(formField)
    .sort((one, other) => rank(one) - rank(other));
}

/** The controls of each section; those of a section that is none of these stand in a last one. */
export function sectioned(sections: readonly FormSectionNotes[], fields: readonly FormField[]) {
  const known = new Set(sections.map(({ id }) => id));
  return [...sections, furtherSection]
    .map((section) => ({
      ...section,
      fields: fields.filter(
        ({ notes }) => (known.has(notes.section) ? notes.section : furtherSection.id) === section.id,
      ),
    }))
    .filter((section) => section.fields.length > 0);
}

const furtherSection: FormSectionNotes = { id: 'further', title: 'Further' };

function formField(field: ModelField): FormField {
  const { notes } = field;
  const form = typeof notes.form === 'object' ? notes.form : { section: furtherSection.id };
  return {
    field,
    name: notes.name ?? field.name,
    control: controlOf(field, form),
    label: labelOf(field),
    hint: form.hint ?? notes.description,
    options: optionsOf(field, form),
    notes: form,
  };
}

/** What may be left out for something else to decide can be chosen as that: a checkbox would decide it. */
function optionsOf(field: ModelField, form: FormNotes): FormField['options'] {
  const { kind, choices, notes } = field;
  const named = (value: string, name = value) => ({ value, label: form.choices?.[value] ?? name });
  const said = kind === 'flag' ? [named('true', 'Yes'), named('false', 'No')] : choices.map((value) => named(value));
  if (said.length === 0 || !isLeftOpen(field)) return said;
  return [named('', notes.whenAbsent === undefined ? 'Not set' : `Not set: ${notes.whenAbsent}`), ...said];
}

function isLeftOpen({ kind, byDefault }: ModelField): boolean {
  return (kind === 'flag' || kind === 'choice') && byDefault === undefined;
}

function controlOf(field: ModelField, form: FormNotes): Control {
  const { kind, notes } = field;
  if (notes.secret === true) return 'secret';
  if (form.json === true) return 'json';
  if (form.pem === true) return 'pem';
  if (isLeftOpen(field)) return 'choice';
  switch (kind) {
    case 'flag':
      return 'checkbox';
    case 'number':
    case 'choice':
      return kind;
    case 'list':
      return form.commas === true ? 'commas' : 'lines';
    case 'mapping':
      return 'mapping';
    default:
      return 'text';
  }
}

/** What people read for the field. */
export function labelOf({ name, notes }: ModelField): string {
  const words = notes.label ?? name.replaceAll('_', ' ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

/** What a control shows of a value: a checkbox its state, the others text. A secret is never filled in. */
export function shownInForm({ control }: FormField, value: unknown): string | boolean {
  if (control === 'checkbox') return value === true;
  if (control === 'secret' || control === 'mapping') return '';
  if (control === 'json') return isEmpty(value) ? '' : JSON.stringify(value, null, 2);
  if (Array.isArray(value)) return value.join(control === 'commas' ? ', ' : '\n');
  return value === undefined || value === null ? '' : String(value);
}

/** What a typed text means for the model; undefined: the field is left out. */
export function meantByForm({ control, notes, field }: FormField, typed: string): unknown {
  const text = typed.trim();
  switch (control) {
    case 'lines':
      return filledOr(field, listed(text, /\r?\n/));
    case 'commas':
      return filledOr(field, listed(text, ','));
    case 'json':
      return text === '' ? undefined : jsonOr(text);
    case 'pem':
      if (text === '') return notes.blank;
      return field.kind === 'list' ? pemTexts(text) : unixLines(text);
    case 'choice':
      if (text === '') return notes.blank;
      return field.kind === 'flag' && /^(true|false)$/.test(text) ? text === 'true' : text;
    case 'number':
      if (text === '') return undefined;
      return /^\d{1,9}$/.test(text) ? Number(text) : text;
    default:
      if (text === '') return notes.blank;
      return notes.verbatim === true ? typed : text;
  }
}

/** No items are absence where that is something else than an empty list. */
function filledOr({ byDefault }: ModelField, items: readonly string[]): readonly string[] | undefined {
  return items.length === 0 && byDefault === undefined ? undefined : items;
}

/** What is not well-formed stays text, which the model refuses as it refuses every value of a wrong type. */
function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Splits a text into PEM texts, each from its first to its last line, and the paths between them line by line. */
function pemTexts(text: string): readonly string[] {
  const pieces = unixLines(text).match(/-----BEGIN [\s\S]*?-----END [^\n]*|[^\n]+/g) ?? [];
  return pieces.map((piece) => piece.trim()).filter((piece) => piece !== '');
}

/** As files have them; browsers send CR LF. */
function unixLines(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

function isEmpty(value: unknown): boolean {
  return typeof value !== 'object' || value === null || Object.keys(value).length === 0;
}

function listed(text: string, separator: string | RegExp): readonly string[] {
  return text
    .split(separator)
    .map((item) => item.trim())
    .filter((item) => item !== '');
}
