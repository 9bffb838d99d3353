// The form to create and edit a user of users.yaml.
import type { ComponentChildren } from 'preact';
import { Button, ButtonLink } from '#shared/pages/components/button.tsx';
import { Field, Select, TextArea } from '#shared/pages/components/field.tsx';
import { bindFields, type FieldErrors, FileForm, FormActions, FormSection, RowLabel } from '../form-parts.tsx';
import type { AttributeRow, UserFormValues } from './user-form-values.ts';

export interface UserFormProps {
  readonly action: string;
  readonly values: UserFormValues;
  readonly errors: FieldErrors;
  readonly revision: string;
  /** A new user has a name to choose; an old one keeps it, and a blank password keeps his. */
  readonly isNew: boolean;
  readonly hasPassword: boolean;
  /** One was sent with the refused form, which does not carry it back. */
  readonly passwordTyped: boolean;
  readonly personaMode: boolean;
  readonly identityClasses: readonly string[];
  /** Blank attribute rows at the end. */
  readonly blankRows: number;
  readonly back: string;
}

export function UserForm(props: UserFormProps) {
  const { attributes, ...texts } = props.values;
  const field = bindFields(texts, props.errors);
  return (
    <FileForm action={props.action} revision={props.revision}>
      <FormSection title="Login">
        <div class="field-grid">
          <Field
            {...field('username')}
            label="Username"
            hint={props.isNew ? 'The name cannot be changed later.' : 'The name of a user cannot be changed.'}
            required
            readOnly={!props.isNew}
            autoComplete="off"
            autoCapitalize="none"
            spellcheck={false}
          />
          <Field
            name="password"
            type="password"
            label="Password"
            error={props.errors.get('password')}
            hint={passwordHint(props)}
            autoComplete="new-password"
          />
        </div>
        <Field
          {...field('description')}
          label="Description"
          hint="Shown where people choose a user; never in a token. At most 200 characters."
        />
      </FormSection>
      <FormSection title="Profile">
        <div class="field-grid">
          <Field
            {...field('email')}
            inputMode="email"
            label="E-mail"
            hint={props.isNew ? 'Blank: the username at example.org.' : 'Blank: no address.'}
            autoComplete="off"
          />
          <IdentityClass {...field('identity_class')} classes={props.identityClasses} />
          <Field {...field('tenant')} label="Tenant" hint="Blank: default." />
        </div>
      </FormSection>
      <FormSection title="Authorities" lead="What a resource server reads from the token.">
        <div class="field-grid">
          <Field {...field('roles')} label="Roles" hint="Separated by commas." spellcheck={false} />
          <Field {...field('groups')} label="Groups" hint="Separated by commas." spellcheck={false} />
        </div>
        <div class="field-grid">
          <TextArea {...field('entitlements')} label="Entitlements" hint="One a line." monospace />
          <TextArea {...field('source_acl')} label="ACL entries" hint="One a line." monospace />
        </div>
      </FormSection>
      <FormSection
        title="Attributes"
        lead="Anything else about the user. Detect takes a JSON list or object as such, all else as text. A row without name or value is dropped."
      >
        <Attributes rows={attributes} blank={props.blankRows} />
      </FormSection>
      <FormActions>
        <Button>{props.isNew ? 'Create user' : 'Save user'}</Button>
        <ButtonLink href={props.back}>Cancel</ButtonLink>
      </FormActions>
    </FileForm>
  );
}

function passwordHint({ isNew, personaMode, hasPassword, passwordTyped }: UserFormProps): string {
  if (passwordTyped) return 'Type it once more: a form that comes back does not carry it.';
  if (!isNew) return hasPassword ? 'Blank: the password stays as it is.' : 'This user has no password yet.';
  return personaMode ? 'Blank: a persona that is chosen without a password.' : 'What the user types to log in.';
}

interface IdentityClassProps {
  readonly name: string;
  readonly value: string;
  readonly error: string | undefined;
  /** What the settings offer; none: anything may be typed. */
  readonly classes: readonly string[];
}

function IdentityClass({ classes, ...field }: IdentityClassProps) {
  if (classes.length === 0) return <Field {...field} label="Identity class" hint="Such as INTERNAL. Blank: none." />;
  const offered = new Set([...classes, ...(field.value === '' ? [] : [field.value])]);
  return (
    <Select
      {...field}
      label="Identity class"
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
