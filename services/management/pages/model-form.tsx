// The sections of a form, generated from the models of its fields. A page adds only what the models do not contain: a
// hint that depends on the entry, a placeholder, a special control.
import type { ComponentChildren } from 'preact';
import type { FormSectionNotes } from '#shared/model/configuration/form-sections.ts';
import { type FormField, sectioned, textAreas } from '#shared/model/configuration/projections/form.ts';
import { Field, type FieldProps, Select, TextArea } from '#shared/web/pages/components/field.tsx';
import { type FieldErrors, FormSection, MarkedCheckbox } from './form-parts.tsx';
import type { FormValues } from './form-values.ts';

/** The properties that a control is rendered with. */
export type Bound = Pick<FieldProps, 'name' | 'label' | 'hint' | 'error'> & { readonly value: string };

export interface PageProvidedProps
  extends Pick<FieldProps, 'placeholder' | 'readOnly' | 'required' | 'autoCapitalize'> {
  readonly hint?: string;
  /** An addition to the hint that depends on the current state. */
  readonly remark?: ComponentChildren;
  /** Replaces the control that the type selects. */
  readonly render?: (bound: Bound) => ComponentChildren;
}

interface ModelFormProps {
  readonly sections: readonly FormSectionNotes[];
  readonly fields: readonly FormField[];
  readonly values: FormValues;
  readonly errors: FieldErrors;
  /** By the names of the controls. */
  readonly known?: Readonly<Record<string, PageProvidedProps>>;
}

export function ModelSections({ sections, fields, ...props }: ModelFormProps) {
  return (
    <>
      {sectioned(sections, fields).map((section) => (
        <FormSection
          key={section.id}
          title={section.title}
          {...(section.lead === undefined ? {} : { lead: section.lead })}
        >
          {inLines(section.fields).map((line) =>
            line.alone ? (
              <Controls key={line.fields[0]?.name} {...props} fields={line.fields} />
            ) : (
              <div class="field-grid" key={line.fields[0]?.name}>
                <Controls {...props} fields={line.fields} />
              </div>
            ),
          )}
        </FormSection>
      ))}
    </>
  );
}

interface Line {
  readonly alone: boolean;
  readonly fields: readonly FormField[];
}

const ownLine: ReadonlySet<FormField['control']> = new Set(['mapping', 'json', 'pem']);

/** Neighbouring fields share a grid unless one needs its own line. Checkboxes come last. */
function inLines(fields: readonly FormField[]): readonly Line[] {
  const lines: { alone: boolean; fields: FormField[] }[] = [];
  const isFlag = ({ control }: FormField) => control === 'checkbox';
  const put = (field: FormField, alone: boolean) => {
    const last = lines.at(-1);
    if (last === undefined || alone || last.alone || field.notes.newLine === true)
      lines.push({ alone, fields: [field] });
    else last.fields.push(field);
  };
  for (const field of fields.filter((each) => !isFlag(each))) {
    put(field, field.notes.wide === true || ownLine.has(field.control));
  }
  const flags = fields.filter(isFlag);
  return flags.length === 0 ? lines : [...lines, { alone: false, fields: flags }];
}

type ControlsProps = Omit<ModelFormProps, 'sections'>;

function Controls({ fields, values, errors, known = {} }: ControlsProps) {
  return (
    <>
      {fields.map((field) => (
        <One key={field.name} field={field} value={values.get(field.name)} errors={errors} known={known[field.name]} />
      ))}
    </>
  );
}

interface OneProps {
  readonly field: FormField;
  readonly value: string | boolean | undefined;
  readonly errors: FieldErrors;
  readonly known: PageProvidedProps | undefined;
}

function One({ field, value, errors, known = {} }: OneProps) {
  const { name, label, control, notes } = field;
  const { hint = field.hint, remark, render, ...page } = known;
  const text = typeof value === 'string' ? value : '';
  const bound: Bound = {
    name,
    label,
    error: errors.get(name),
    value: text,
    hint:
      hint === '' ? undefined : (
        <>
          <Hint text={hint} restart={field.field.notes.restart === true} />
          {remark}
        </>
      ),
  };
  if (render !== undefined) return <>{render(bound)}</>;
  if (textAreas.has(control)) return <TextArea {...bound} monospace />;
  const { value: _kept, ...unfilled } = bound;
  switch (control) {
    case 'checkbox':
      return <MarkedCheckbox {...unfilled} checked={value === true} />;
    case 'choice':
      return <Select {...bound} options={field.options} />;
    case 'number':
      return (
        <Field
          {...bound}
          type="number"
          min={field.field.minimum}
          max={field.field.maximum}
          inputMode="numeric"
          {...page}
        />
      );
    // A stored secret is never sent, and a typed one is not sent back.
    case 'secret':
      return <Field {...unfilled} type="password" autoComplete="new-password" {...page} />;
    case 'mapping':
      return null;
    default:
      return (
        <Field
          {...bound}
          autoComplete="off"
          {...(notes.prose === true || notes.email === true ? {} : { spellcheck: false })}
          {...(notes.email === true ? { inputMode: 'email' as const } : {})}
          {...(notes.colour === true ? { maxLength: 7, class: 'input-code' } : {})}
          {...page}
        />
      );
  }
}

/** The model's text. `code` in backquotes becomes code. */
function Hint({ text, restart }: { readonly text: string; readonly restart: boolean }) {
  return (
    <>
      {text.split('`').map((part, index) => (index % 2 === 1 ? <code key={String(index)}>{part}</code> : part))}
      {restart && <strong> Takes effect after a restart.</strong>}
    </>
  );
}
