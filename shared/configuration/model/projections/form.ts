// The controls of a web form from the rows: which there are, in which section, what they are called, how a value becomes
// text and what a typed text means. What a browser posts is read in services/management/pages/form-values.ts.
import type { ModelField } from '../read-model.ts';

export type Control = 'text' | 'number' | 'lines' | 'commas' | 'checkbox' | 'choice' | 'secret' | 'attributes';

export interface FormField {
  readonly field: ModelField;
  /** Of the control. */
  readonly name: string;
  readonly control: Control;
  readonly section: string;
  readonly label: string;
  /** In the words of the model: `code` in backquotes. */
  readonly hint: string;
  readonly restart: boolean;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  /** A line of its own. */
  readonly wide: boolean;
  /** For eyes that read code: fixed width, short. */
  readonly code: boolean;
  readonly email: boolean;
  /** What a blank control means; undefined: the field is left out, and its default counts. */
  readonly blank: '' | null | undefined;
}

/** Where a form has no section for a field. */
export const furtherSection = 'further';

export function isOfferedInForm({ notes }: ModelField): boolean {
  return notes.fileOnly !== true && notes.form !== false && notes.form !== 'elsewhere';
}

/** The controls for the fields that forms offer, in the order in which they are shown. */
export function formFields(fields: readonly ModelField[]): readonly FormField[] {
  const rank = ({ field }: FormField) => (typeof field.notes.form === 'object' ? (field.notes.form.rank ?? 0) : 0);
  return fields
    .filter(isOfferedInForm)
    .map(formField)
    .sort((one, other) => rank(one) - rank(other));
}

function formField(field: ModelField): FormField {
  const { notes, choices } = field;
  const form = typeof notes.form === 'object' ? notes.form : { section: furtherSection };
  return {
    field,
    name: notes.name ?? field.name,
    control: controlOf(field, form.control === 'commas'),
    section: form.section,
    label: notes.label ?? inWords(field.name),
    hint: form.hint ?? notes.description,
    restart: notes.restart === true,
    options: choices.map((value) => ({ value, label: form.choices?.[value] ?? value })),
    wide: form.control === 'wide',
    code: form.control === 'code',
    email: form.control === 'email',
    blank: form.blank,
  };
}

function controlOf({ kind, notes }: ModelField, withCommas: boolean): Control {
  if (notes.secret === true) return 'secret';
  switch (kind) {
    case 'flag':
      return 'checkbox';
    case 'number':
    case 'choice':
      return kind;
    case 'list':
      return withCommas ? 'commas' : 'lines';
    case 'mapping':
      return 'attributes';
    default:
      return 'text';
  }
}

function inWords(name: string): string {
  const words = name.replaceAll('_', ' ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

/** What a control shows of a value: a checkbox its state, the others text. A secret is never filled in. */
export function shownInForm({ control }: FormField, value: unknown): string | boolean {
  if (control === 'checkbox') return value === true;
  if (control === 'secret') return '';
  if (Array.isArray(value)) return value.join(control === 'commas' ? ', ' : '\n');
  return value === undefined || value === null ? '' : String(value);
}

/** What a typed text means for the model; undefined: the field is left out. */
export function meantByForm({ control, blank }: FormField, typed: string): unknown {
  const text = typed.trim();
  switch (control) {
    case 'lines':
      return listed(text, /\r?\n/);
    case 'commas':
      return listed(text, ',');
    case 'number':
      if (text === '') return undefined;
      return /^\d{1,9}$/.test(text) ? Number(text) : text;
    default:
      return text === '' ? blank : text;
  }
}

function listed(text: string, separator: string | RegExp): readonly string[] {
  return text
    .split(separator)
    .map((item) => item.trim())
    .filter((item) => item !== '');
}
