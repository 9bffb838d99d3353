// The form to create and edit a client of settings.yaml.
import { clientSections } from '#shared/model/configuration/form-sections.ts';
import { Button, ButtonLink } from '#shared/web/pages/components/button.tsx';
import { CopyButton } from '#shared/web/pages/components/copy-button.tsx';
import { Field } from '#shared/web/pages/components/field.tsx';
import { type FieldErrors, FileForm, FormActions } from '../form-parts.tsx';
import type { FormValues } from '../form-values.ts';
import { type Bound, ModelSections } from '../model-form.tsx';
import { clientForm } from './client-form-values.ts';

interface ClientFormProps {
  readonly action: string;
  readonly values: FormValues;
  readonly errors: FieldErrors;
  readonly revision: string;
  readonly isNew: boolean;
  /** The existing scopes, as a hint. */
  readonly scopes: readonly string[];
  /** The rejected form contained a secret, which is not sent back. */
  readonly secretTyped: boolean;
}

export function ClientForm(props: ClientFormProps) {
  const { isNew, scopes } = props;
  return (
    <FileForm action={props.action} revision={props.revision}>
      <ModelSections
        sections={clientSections}
        fields={clientForm}
        values={props.values}
        errors={props.errors}
        known={{
          client_id: isNew ? { required: true } : { readOnly: true, hint: 'The client_id cannot be changed.' },
          client_secret: isNew ? { render: (bound) => <NewSecret {...bound} /> } : { hint: keptSecretHint(props) },
          scope: { hint: `Separated by spaces. Blank: all scopes (${scopes.join(' ')}).` },
        }}
      />
      <FormActions>
        <Button>{isNew ? 'Create client' : 'Save client'}</Button>
        <ButtonLink href="/clients">Cancel</ButtonLink>
      </FormActions>
    </FileForm>
  );
}

function keptSecretHint({ secretTyped }: ClientFormProps): string {
  return secretTyped
    ? 'Enter it again. A rejected form does not keep it.'
    : 'Leave blank to keep the secret. It is never shown.';
}

function NewSecret(bound: Bound) {
  return (
    <div class="with-copy">
      <Field
        {...bound}
        hint="Generated for this form, and not shown again after saving. A public client has no secret."
        autoComplete="off"
        spellcheck={false}
        class="input-code"
      />
      <CopyButton from="client_secret" />
    </div>
  );
}
