// The form to create and edit a user of users.yaml.
import type { ComponentChildren } from 'preact';
import { Button, ButtonLink } from '#shared/pages/components/button.tsx';
import { Field, Hidden, Select, TextArea } from '#shared/pages/components/field.tsx';
import { type FieldErrors, FormActions, FormSection } from '../form-parts.tsx';
import type { AttributeRow, UserFormValues } from './user-form-values.ts';

export interface UserFormProps {
  readonly action: string;
  readonly values: UserFormValues;
  readonly errors: FieldErrors;
  readonly revision: string;
  /** A new user has a name to choose; an old one keeps it, and a blank password keeps his. */
  readonly isNew: boolean;
  readonly hasPassword: boolean;
  readonly personaMode: boolean;
  readonly identityClasses: readonly string[];
  /** Blank attribute rows at the end. */
  readonly blankRows: number;
  readonly back: string;
}

export function UserForm(props: UserFormProps) {
  const { values, errors } = props;
  return (
    <form method="post" action={props.action} class="form">
      <Hidden name="expected_revision" value={props.revision} />
      {/* Return in a field presses the first button: it must be the one that saves. */}
      <button type="submit" class="visually-hidden" tabIndex={-1} aria-hidden="true">
        Save
      </button>
      <FormSection title="Login">
        <div class="field-grid">
          <Field
            name="username"
            label="Username"
            value={values.username}
            error={errors.get('username')}
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
            error={errors.get('password')}
            hint={passwordHint(props)}
            autoComplete="new-password"
          />
        </div>
        <Field
          name="description"
          label="Description"
          value={values.description}
          error={errors.get('description')}
          hint="Shown where people choose a user; never in a token. At most 200 characters."
        />
      </FormSection>
      <FormSection title="Profile">
        <div class="field-grid">
          <Field
            name="email"
            type="text"
            inputMode="email"
            label="E-mail"
            value={values.email}
            error={errors.get('email')}
            hint={props.isNew ? 'Blank: the username at example.org.' : 'Blank: no address.'}
            autoComplete="off"
          />
          <IdentityClass {...props} />
          <Field name="tenant" label="Tenant" value={values.tenant} error={errors.get('tenant')} />
        </div>
      </FormSection>
      <FormSection title="Authorities" lead="What a resource server reads from the token.">
        <div class="field-grid">
          <Field
            name="roles"
            label="Roles"
            value={values.roles}
            error={errors.get('roles')}
            hint="Separated by commas."
            spellcheck={false}
          />
          <Field
            name="groups"
            label="Groups"
            value={values.groups}
            error={errors.get('groups')}
            hint="Separated by commas."
            spellcheck={false}
          />
        </div>
        <div class="field-grid">
          <TextArea
            name="entitlements"
            label="Entitlements"
            value={values.entitlements}
            error={errors.get('entitlements')}
            hint="One a line."
            monospace
          />
          <TextArea
            name="source_acl"
            label="ACL entries"
            value={values.source_acl}
            error={errors.get('source_acl')}
            hint="One a line."
            monospace
          />
        </div>
      </FormSection>
      <FormSection title="Attributes" lead="Anything else about the user. A row without name or value is dropped.">
        <Attributes rows={values.attributes} blank={props.blankRows} />
      </FormSection>
      <FormActions>
        <Button>{props.isNew ? 'Create user' : 'Save user'}</Button>
        <ButtonLink href={props.back}>Cancel</ButtonLink>
      </FormActions>
    </form>
  );
}

function passwordHint({ isNew, personaMode, hasPassword }: UserFormProps): string {
  if (!isNew) return hasPassword ? 'Blank: the password stays as it is.' : 'This user has no password yet.';
  return personaMode ? 'Blank: a persona that is chosen without a password.' : 'What the user types to log in.';
}

function IdentityClass({ values, errors, identityClasses }: UserFormProps) {
  const common = {
    name: 'identity_class',
    label: 'Identity class',
    value: values.identity_class,
    error: errors.get('identity_class'),
  };
  if (identityClasses.length === 0) return <Field {...common} hint="Such as INTERNAL. Blank: none." />;
  const offered = new Set([...identityClasses, ...(values.identity_class === '' ? [] : [values.identity_class])]);
  return (
    <Select
      {...common}
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
    { value: 'auto', label: 'Text, or a JSON list or object' },
    { value: 'string', label: 'Text' },
    { value: 'json', label: 'JSON' },
  ];
  return (
    <li class="attribute-row">
      <Field name="attr_key[]" id={`attr-key-${number}`} label={`Name ${number}`} value={row.key} spellcheck={false} />
      <Field
        name="attr_value[]"
        id={`attr-value-${number}`}
        label={`Value ${number}`}
        value={row.value}
        error={row.error}
        spellcheck={false}
      />
      <Select
        name="attr_encoding[]"
        id={`attr-encoding-${number}`}
        label={`Kind ${number}`}
        value={row.encoding}
        options={encodings}
      />
    </li>
  );
}
