// The form to create and edit a client of settings.yaml.
import { tokenEndpointAuthMethods } from '#shared/configuration/model/client-entry.ts';
import { Button, ButtonLink } from '#shared/pages/components/button.tsx';
import { CopyButton } from '#shared/pages/components/copy-button.tsx';
import { Field, type FieldProps, Hidden, Select, TextArea } from '#shared/pages/components/field.tsx';
import { type FieldErrors, FormActions, FormSection, MarkedCheckbox } from '../form-parts.tsx';
import type { ClientFormValues } from './client-form-values.ts';

export interface ClientFormProps {
  readonly action: string;
  readonly values: ClientFormValues;
  readonly errors: FieldErrors;
  readonly revision: string;
  readonly isNew: boolean;
  /** The scopes there are, as a hint. */
  readonly scopes: readonly string[];
}

const methodLabels: Record<(typeof tokenEndpointAuthMethods)[number], string> = {
  client_secret_basic: 'client_secret_basic: secret in the Authorization header',
  client_secret_post: 'client_secret_post: secret in the form body',
  none: 'none: a public client with PKCE, no secret',
};

export function ClientForm(props: ClientFormProps) {
  const { values, errors, isNew } = props;
  const text = (name: 'client_id' | 'description' | 'scope', more: Partial<FieldProps> & { label: string }) => (
    <Field name={name} value={values[name]} error={errors.get(name)} {...more} />
  );
  return (
    <form method="post" action={props.action} class="form">
      <Hidden name="expected_revision" value={props.revision} />
      <FormSection title="Identity">
        <div class="field-grid">
          {text('client_id', {
            label: 'Client ID',
            required: true,
            readOnly: !isNew,
            autoComplete: 'off',
            spellcheck: false,
            hint: isNew ? 'The name that the client presents.' : 'The client_id cannot be changed.',
          })}
          {text('description', { label: 'Description', hint: 'Shown to people on the login page, if you want.' })}
        </div>
        <Select
          name="token_endpoint_auth_method"
          label="How it authenticates"
          value={values.token_endpoint_auth_method}
          error={errors.get('token_endpoint_auth_method')}
          options={tokenEndpointAuthMethods.map((value) => ({ value, label: methodLabels[value] }))}
        />
        <Secret {...props} />
      </FormSection>
      <FormSection title="What it may do">
        <Lines
          {...props}
          name="redirect_uris"
          label="Redirect URIs"
          hint="One a line, matched exactly. None: any acceptable URI (not under oauth21)."
        />
        {text('scope', {
          label: 'Scope',
          spellcheck: false,
          hint: `Separated by spaces. Blank: all there are (${props.scopes.join(' ')}).`,
        })}
        <div class="field-grid">
          <Lines
            {...props}
            name="post_logout_redirect_uris"
            label="Post-logout redirect URIs"
            hint="One a line: where a logout may lead."
          />
          <Lines {...props} name="allowed_resources" label="Resources" hint="One a line (RFC 8707). None: any." />
          <Lines
            {...props}
            name="additional_audiences"
            label="Additional audiences"
            hint="One a line: further aud values of ID tokens."
          />
        </div>
      </FormSection>
      <FormSection title="Its login page" lead="A logo lies in oauth.logos_dir, named like the client.">
        <div class="field-grid">
          <Colour {...props} name="background_color" label="Background" />
          <Colour {...props} name="header_color" label="Header" />
          <Colour {...props} name="footer_color" label="Footer" />
        </div>
        <Select
          name="layout"
          label="Layout"
          value={values.layout}
          error={errors.get('layout')}
          options={[
            { value: 'vertical', label: 'Vertical: the client above the form' },
            { value: 'horizontal', label: 'Horizontal: the client beside the form' },
          ]}
        />
        <MarkedCheckbox name="show_client_id" label="Show the client_id" checked={values.show_client_id} />
        <MarkedCheckbox name="show_description" label="Show the description" checked={values.show_description} />
      </FormSection>
      <FormActions>
        <Button>{isNew ? 'Create client' : 'Save client'}</Button>
        <ButtonLink href="/clients">Cancel</ButtonLink>
      </FormActions>
    </form>
  );
}

function Secret({ values, errors, isNew }: ClientFormProps) {
  if (!isNew) {
    return (
      <Field
        name="client_secret"
        type="password"
        label="Client secret"
        error={errors.get('client_secret')}
        hint="Blank: the secret stays as it is. It is never shown."
        autoComplete="new-password"
      />
    );
  }
  return (
    <div class="with-copy">
      <Field
        name="client_secret"
        label="Client secret"
        value={values.client_secret}
        error={errors.get('client_secret')}
        hint="Drawn at random for this form. It is not shown again after saving. A public client has none."
        autoComplete="off"
        spellcheck={false}
        class="input-code"
      />
      <CopyButton from="client_secret" />
    </div>
  );
}

type ListName = 'redirect_uris' | 'allowed_resources' | 'additional_audiences' | 'post_logout_redirect_uris';

function Lines({
  values,
  errors,
  name,
  label,
  hint,
}: Pick<ClientFormProps, 'values' | 'errors'> & { name: ListName; label: string; hint: string }) {
  return <TextArea name={name} label={label} value={values[name]} error={errors.get(name)} hint={hint} monospace />;
}

function Colour({
  values,
  errors,
  name,
  label,
}: Pick<ClientFormProps, 'values' | 'errors'> & {
  name: 'background_color' | 'header_color' | 'footer_color';
  label: string;
}) {
  return (
    <Field
      name={name}
      label={label}
      value={values[name]}
      error={errors.get(name)}
      hint="# and six hexadecimal digits, such as #0b6b5d."
      autoComplete="off"
      spellcheck={false}
      class="input-code"
    />
  );
}
