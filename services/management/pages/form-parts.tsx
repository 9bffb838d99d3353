// Parts that all forms of the web UI share.
import { type ComponentChildren, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { z } from 'zod';
import { dotted } from '#shared/model/configuration/finding.ts';
import { Checkbox, type CheckboxProps, Field, Hidden } from '#shared/web/pages/components/field.tsx';
import { Notice } from '#shared/web/pages/components/notice.tsx';
import { OwnForm } from '#shared/web/pages/components/own-link.tsx';
import { unlockField } from '../management-secret.ts';
import { markerOf } from './form-values.ts';

/** Messages by field name. */
export type FieldErrors = ReadonlyMap<string, string>;

export const noErrors: FieldErrors = new Map();

/** The first message of every field that the model rejects, as sentences. */
export function fieldErrors(issues: readonly z.core.$ZodIssue[]): FieldErrors {
  const errors = new Map<string, string>();
  for (const issue of issues) {
    const [field = '', ...inside] = issue.path;
    if (!errors.has(String(field))) errors.set(String(field), asSentence(withPlace(inside, issue.message)));
  }
  return errors;
}

/**
 * Names the member of a value that is typed as a whole, such as a claim. For an item of a list the name is not needed.
 */
export function withPlace(inside: readonly PropertyKey[], message: string): string {
  if (!inside.some((part) => typeof part === 'string')) return message;
  return `“${dotted(inside.map((part) => (typeof part === 'number' ? part : String(part))))}” ${message}`;
}

/** Above a form whose fields show why they were rejected. */
export function FieldsRefused({ errors }: { readonly errors: FieldErrors }) {
  if (errors.size === 0) return null;
  return (
    <Notice kind="refusal" title="Nothing was saved">
      {errors.size === 1
        ? 'One field needs a different value. The reason is shown there.'
        : `${errors.size} fields need different values. The reasons are shown there.`}
    </Notice>
  );
}

export function asSentence(message: string): string {
  const text = message.trim();
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
}

/** A checkbox with the marker that distinguishes "unchecked" from "not on this form". */
export function MarkedCheckbox(props: CheckboxProps) {
  return (
    <>
      <Hidden name={markerOf(props.name)} value="1" />
      <Checkbox {...props} />
    </>
  );
}

/** The name, value and error of a field: the properties that every text control of a form gets. */
export function bindFields<Name extends string>(values: Readonly<Record<Name, string>>, errors: FieldErrors) {
  return (name: Name) => ({ name, value: values[name], error: errors.get(name) });
}

/**
 * The label of a control that is in every row. The number distinguishes the rows, visibly or only for screen readers.
 */
export function RowLabel({ text, number }: { readonly text: string; readonly number: number }) {
  return (
    <>
      {text} <span class="visually-hidden">{number}</span>
    </>
  );
}

interface FileFormProps {
  readonly action: string;
  /** The revision of the file when the form was opened (WEB-12). */
  readonly revision: string;
  readonly children: ComponentChildren;
}

/** A form that is written into a configuration file. */
export function FileForm({ action, revision, children }: FileFormProps) {
  return (
    <OwnForm method="post" action={action} class="form">
      <Hidden name="expected_revision" value={revision} />
      {/* Return in a field presses the first button: it must be the one that saves. */}
      <button type="submit" class="visually-hidden" tabIndex={-1} aria-hidden="true">
        Save
      </button>
      {children}
    </OwnForm>
  );
}

export function FormSection({ title, lead, children }: { title: string; lead?: string; children: ComponentChildren }) {
  return (
    <section class="card">
      <div>
        <h2 class="card-title">{title}</h2>
        {lead !== undefined && <p class="card-lead">{lead}</p>}
      </div>
      {children}
    </section>
  );
}

const LockedContext = createContext(false);

/** Passes to all forms inside whether they need the management secret. */
export const Locked = LockedContext.Provider;

/**
 * The place of the form's buttons: they stay visible while a long form scrolls. It asks a browser without write access
 * for the management secret here, so that no input is lost.
 */
export function FormActions({ children }: { readonly children: ComponentChildren }) {
  const locked = useContext(LockedContext);
  return (
    <>
      {locked && (
        <section class="card">
          <Field
            name={unlockField}
            type="password"
            label="Management secret"
            hint="Writing is locked in this browser. Enter the secret to save this form and unlock writing."
            autoComplete="off"
          />
        </section>
      )}
      <div class="form-actions">{children}</div>
    </>
  );
}
