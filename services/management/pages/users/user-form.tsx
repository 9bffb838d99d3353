// The form to create and edit a user of users.yaml.
import type { ComponentChildren } from 'preact';
import { userSections } from '#shared/model/configuration/form-sections.ts';
import { Button, ButtonLink } from '#shared/web/pages/components/button.tsx';
import { Field, Select } from '#shared/web/pages/components/field.tsx';
import { type FieldErrors, FileForm, FormActions, RowLabel } from '../form-parts.tsx';
import { type Bound, ModelSections } from '../model-form.tsx';
import { type AttributeRow, type UserFormValues, userForm } from './user-form-values.ts';

interface UserFormProps {
  readonly action: string;
  readonly values: UserFormValues;
  readonly errors: FieldErrors;
  readonly revision: string;
  /** A new user needs a name. An existing one keeps it, and a blank password keeps the current one. */
  readonly isNew: boolean;
  readonly hasPassword: boolean;
  /** The rejected form contained a password, which is not sent back. */
  readonly passwordTyped: boolean;
  readonly personaMode: boolean;
  readonly identityClasses: readonly string[];
  /** Blank attribute rows at the end. */
  readonly blankRows: number;
  readonly back: string;
}

export function UserForm(props: UserFormProps) {
  const { fields, attributes } = props.values;
  const { isNew } = props;
  return (
    <FileForm action={props.action} revision={props.revision}>
      <ModelSections
        sections={userSections}
        fields={userForm}
        values={fields}
        errors={props.errors}
        known={{
          username: {
            ...(isNew ? { required: true } : { readOnly: true }),
            hint: isNew ? 'The name cannot be changed later.' : 'The name of a user cannot be changed.',
            autoCapitalize: 'none',
          },
          password: { hint: passwordHint(props) },
          email: { hint: isNew ? 'Leave blank for the username at example.org.' : 'Blank: no address.' },
          ...(props.identityClasses.length > 0
            ? {
                identity_class: {
                  hint: '',
                  render: (bound) => <IdentityClass {...bound} classes={props.identityClasses} />,
                },
              }
            : {}),
          attributes: { render: () => <Attributes rows={attributes} blank={props.blankRows} /> },
        }}
      />
      <FormActions>
        <Button>{isNew ? 'Create user' : 'Save user'}</Button>
        <ButtonLink href={props.back}>Cancel</ButtonLink>
      </FormActions>
    </FileForm>
  );
}

function passwordHint({ isNew, personaMode, hasPassword, passwordTyped }: UserFormProps): string {
  if (passwordTyped) return 'Enter it again. A rejected form does not keep it.';
  if (!isNew) return hasPassword ? 'Leave blank to keep the password.' : 'This user has no password yet.';
  return personaMode ? 'Leave blank for a persona, chosen without a password.' : 'Password for the login.';
}

/** The classes that the settings offer. Without such a setting any text may be typed. */
function IdentityClass({ classes, ...bound }: Bound & { readonly classes: readonly string[] }) {
  const offered = new Set([...classes, ...(bound.value === '' ? [] : [bound.value])]);
  return (
    <Select
      {...bound}
      options={[{ value: '', label: 'None' }, ...[...offered].map((value) => ({ value, label: value }))]}
    />
  );
}

function Attributes({ rows, blank }: { readonly rows: readonly AttributeRow[]; readonly blank: number }) {
  const shown = [
    ...rows,
    ...Array.from({ length: blank }, (): AttributeRow => ({ key: '', value: '', encoding: 'auto' })),
  ];
  return (
    <>
      <ul class="attribute-rows">
        {shown.map((row, index) => (
          <AttributeFields key={String(index)} row={row} number={index + 1} />
        ))}
      </ul>
      <div>
        <Button kind="secondary" name="add_attribute" value="1" formNoValidate>
          Add a row
        </Button>
      </div>
    </>
  );
}

function AttributeFields({ row, number }: { readonly row: AttributeRow; readonly number: number }): ComponentChildren {
  const encodings = [
    { value: 'auto', label: 'Detect' },
    { value: 'string', label: 'Text' },
    { value: 'json', label: 'JSON' },
  ];
  return (
    <li class="attribute-row">
      <Field
        name="attr_key[]"
        id={`attr-key-${number}`}
        label={<RowLabel text="Name" number={number} />}
        value={row.key}
        spellcheck={false}
      />
      <Field
        name="attr_value[]"
        id={`attr-value-${number}`}
        label={<RowLabel text="Value" number={number} />}
        value={row.value}
        error={row.error}
        spellcheck={false}
      />
      <Select
        name="attr_encoding[]"
        id={`attr-encoding-${number}`}
        label={<RowLabel text="Kind" number={number} />}
        value={row.encoding}
        options={encodings}
      />
    </li>
  );
}
