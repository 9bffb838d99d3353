// The controls of a web form, derived from the rows: section, label, how a value becomes text and how typed text
// becomes a value. The code in services/management/pages/form-values.ts reads what a browser posts.
import type { FormNotes } from '../field.ts';
import type { FormSectionNotes } from '../form-sections.ts';
import type { ModelField } from '../read-model.ts';

/** A `mapping` has a control only where a page renders one. */
type Control = 'text' | 'number' | 'lines' | 'commas' | 'checkbox' | 'choice' | 'secret' | 'json' | 'pem' | 'mapping';

/** Controls with several lines. The rest have one line. */
export const textAreas: ReadonlySet<Control> = new Set<Control>(['lines', 'json', 'pem']);

export interface FormField {
  readonly field: ModelField;
  /** The name of the control. */
  readonly name: string;
  readonly control: Control;
  readonly label: string;
  /** The model's text, with `code` in backquotes. */
  readonly hint: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly notes: FormNotes;
}

/** A mapping or a list of mappings has no control by default. It is offered only if its notes say so. */
export function isOfferedInForm({ kind, notes }: ModelField): boolean {
  if (notes.fileOnly === true || notes.form === false || notes.form === 'elsewhere') return false;
  return notes.form !== undefined || (kind !== 'mapping' && kind !== 'other');
}

/** The controls for the fields that forms offer, in display order. */
export function formFields(fields: readonly ModelField[]): readonly FormField[] {
  const rank = ({ notes }: FormField) => notes.rank ?? 0;
  return fields
    .filter(isOfferedInForm)
    .map(formField)
    .sort((one, other) => rank(one) - rank(other));
}

/** The controls of each section. Those with an unknown section come in a last one. */
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

/** An optional value that falls back to another setting can be chosen as not set. A checkbox could not express that. */
function optionsOf(field: ModelField, form: FormNotes): FormField['options'] {
  const { kind, choices, notes } = field;
  const named = (value: string, name = value) => ({ value, label: form.choices?.[value] ?? name });
  const options = kind === 'flag' ? [named('true', 'Yes'), named('false', 'No')] : choices.map((value) => named(value));
  if (options.length === 0 || !isLeftOpen(field)) return options;
  return [named('', notes.whenAbsent === undefined ? 'Not set' : `Not set: ${notes.whenAbsent}`), ...options];
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

/** The field's label for people. */
export function labelOf({ name, notes }: ModelField): string {
  const words = notes.label ?? name.replaceAll('_', ' ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

/** What a control shows for a value: the state of a checkbox, text in other controls. A secret is never filled in. */
export function shownInForm({ control }: FormField, value: unknown): string | boolean {
  if (control === 'checkbox') return value === true;
  if (control === 'secret' || control === 'mapping') return '';
  if (control === 'json') return isEmpty(value) ? '' : JSON.stringify(value, null, 2);
  if (Array.isArray(value)) return value.join(control === 'commas' ? ', ' : '\n');
  return value === undefined || value === null ? '' : String(value);
}

/** Converts typed text to a value for the model. undefined: the field is left out. */
export function valueFromForm({ control, notes, field }: FormField, typed: string): unknown {
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

/** An empty list counts as absent if absence differs from an empty list. */
function filledOr({ byDefault }: ModelField, items: readonly string[]): readonly string[] | undefined {
  return items.length === 0 && byDefault === undefined ? undefined : items;
}

/** Malformed JSON stays text, which the model rejects like every value of a wrong type. */
function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Splits text into PEM texts, each from its first to its last line, and the paths between them, one per line. */
function pemTexts(text: string): readonly string[] {
  const pieces = unixLines(text).match(/-----BEGIN [\s\S]*?-----END [^\n]*|[^\n]+/g) ?? [];
  return pieces.map((piece) => piece.trim()).filter((piece) => piece !== '');
}

/** Line ends as in files. Browsers send CR LF. */
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
