// Labelled form controls. Each shows its hint below its label, and an error at the control, linked by aria-describedby.
// `value` keeps the input.
import { type ComponentChildren, h } from 'preact';

interface LabelledProps {
  readonly name: string;
  readonly label: ComponentChildren;
  /** What is expected, in a few words. */
  readonly hint?: ComponentChildren;
  /** Why the value was rejected. */
  readonly error?: string | undefined;
  /** Needed only when a name occurs several times on a page. */
  readonly id?: string | undefined;
}

export interface FieldProps extends LabelledProps {
  readonly type?: 'text' | 'password' | 'email' | 'number' | 'url' | 'search' | 'file' | undefined;
  readonly value?: string | number | undefined;
  readonly required?: boolean | undefined;
  readonly autoComplete?: string | undefined;
  readonly autoFocus?: boolean | undefined;
  /** The label of the Enter key on a touch keyboard. */
  readonly enterKeyHint?: 'go' | 'next' | 'search' | undefined;
  readonly inputMode?: 'text' | 'numeric' | 'url' | 'email' | undefined;
  readonly maxLength?: number | undefined;
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  readonly placeholder?: string | undefined;
  readonly readOnly?: boolean | undefined;
  readonly spellcheck?: boolean | undefined;
  readonly autoCapitalize?: 'none' | 'off' | 'characters' | undefined;
  /** For a file field: the file types that a browser offers first. */
  readonly accept?: string | undefined;
  readonly class?: string | undefined;
}

export function Field({ name, label, hint, error, id = name, type = 'text', class: extra, ...input }: FieldProps) {
  return (
    <Labelled name={name} label={label} hint={hint} error={error} id={id}>
      {h('input', {
        ...input,
        id,
        name,
        type,
        class: `input${extra === undefined ? '' : ` ${extra}`}`,
        ...describedBy(id, hint, error),
      })}
    </Labelled>
  );
}

interface TextAreaProps extends LabelledProps {
  readonly value?: string | undefined;
  readonly rows?: number | undefined;
  readonly readOnly?: boolean | undefined;
  readonly monospace?: boolean | undefined;
}

export function TextArea({ name, label, hint, error, id = name, value, rows = 3, readOnly, monospace }: TextAreaProps) {
  return (
    <Labelled name={name} label={label} hint={hint} error={error} id={id}>
      <textarea
        id={id}
        name={name}
        rows={rows}
        readOnly={readOnly}
        class={`input${monospace ? ' input-code' : ''}`}
        spellcheck={false}
        {...describedBy(id, hint, error)}
        value={value}
      />
    </Labelled>
  );
}

interface SelectProps extends LabelledProps {
  readonly value?: string | undefined;
  readonly options: readonly { readonly value: string; readonly label: string }[];
}

export function Select({ name, label, hint, error, id = name, value, options }: SelectProps) {
  return (
    <Labelled name={name} label={label} hint={hint} error={error} id={id}>
      <select id={id} name={name} class="input" {...describedBy(id, hint, error)}>
        {options.map((option) => (
          <option key={option.value} value={option.value} selected={option.value === value}>
            {option.label}
          </option>
        ))}
      </select>
    </Labelled>
  );
}

export interface CheckboxProps extends LabelledProps {
  readonly checked: boolean;
  readonly value?: string | undefined;
}

export function Checkbox({ name, label, hint, error, id = name, checked, value = 'true' }: CheckboxProps) {
  return (
    <div class={`field field-checkbox${error === undefined ? '' : ' field-refused'}`}>
      <input
        type="checkbox"
        id={id}
        name={name}
        value={value}
        checked={checked}
        class="checkbox"
        {...describedBy(id, hint, error)}
      />
      <div>
        <label for={id} class="field-label">
          {label}
        </label>
        <Explanation id={id} hint={hint} error={error} />
      </div>
    </div>
  );
}

export function Hidden({ name, value }: { readonly name: string; readonly value: string }) {
  return <input type="hidden" name={name} value={value} />;
}

function Labelled({
  label,
  hint,
  error,
  id,
  children,
}: LabelledProps & { readonly id: string; readonly children: ComponentChildren }) {
  return (
    <div class={`field${error === undefined ? '' : ' field-refused'}`}>
      <label for={id} class="field-label">
        {label}
      </label>
      {children}
      <Explanation id={id} hint={hint} error={error} />
    </div>
  );
}

function Explanation({ id, hint, error }: { id: string; hint?: ComponentChildren; error?: string | undefined }) {
  return (
    <>
      {error !== undefined && (
        <p id={`${id}-error`} class="field-error">
          {error}
        </p>
      )}
      {hint !== undefined && (
        <p id={`${id}-hint`} class="field-hint">
          {hint}
        </p>
      )}
    </>
  );
}

function describedBy(id: string, hint: ComponentChildren, error: string | undefined) {
  const ids = [error === undefined ? [] : [`${id}-error`], hint === undefined ? [] : [`${id}-hint`]].flat();
  return {
    ...(ids.length === 0 ? {} : { 'aria-describedby': ids.join(' ') }),
    // With several errors the browser focuses the first field, so that the user need not search a long form.
    ...(error === undefined ? {} : { 'aria-invalid': true as const, autoFocus: true as const }),
  };
}
