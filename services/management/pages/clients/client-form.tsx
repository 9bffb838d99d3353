// The form to create and edit a client of settings.yaml.
import { tokenEndpointAuthMethods } from '#shared/configuration/model/client-entry.ts';
import { Button, ButtonLink } from '#shared/pages/components/button.tsx';
import { CopyButton } from '#shared/pages/components/copy-button.tsx';
import { Field, type FieldProps, Select, TextArea } from '#shared/pages/components/field.tsx';
import { bindFields, type FieldErrors, FileForm, FormActions, FormSection, MarkedCheckbox } from '../form-parts.tsx';
import type { ClientFormValues } from './client-form-values.ts';

export interface ClientFormProps {
  readonly action: string;
  readonly values: ClientFormValues;
  readonly errors: FieldErrors;
  readonly revision: string;
  readonly isNew: boolean;
  /** The scopes there are, as a hint. */
  readonly scopes: readonly string[];
  /** A secret was sent with the refused edit, which does not carry it back. */
  readonly secretTyped: boolean;
}

const methodLabels: Record<(typeof tokenEndpointAuthMethods)[number], string> = {
  client_secret_basic: 'client_secret_basic: secret in the Authorization header',
  client_secret_post: 'client_secret_post: secret in the form body',
  none: 'none: a public client with PKCE, no secret',
};

export function ClientForm(props: ClientFormProps) {
  const { values, errors, isNew } = props;
  const { show_client_id, show_description, ...texts } = values;
  const field = bindFields(texts, errors);
  return (
    <FileForm action={props.action} revision={props.revision}>
      <FormSection title="Identity">
        <div class="field-grid">
          <Field
            {...field('client_id')}
            label="Client ID"
            hint={isNew ? 'The name that the client presents.' : 'The client_id cannot be changed.'}
            required
            readOnly={!isNew}
            autoComplete="off"
            spellcheck={false}
          />
          <Field {...field('description')} label="Description" hint="Shown to people on the login page, if you want." />
        </div>
        <Select
          {...field('token_endpoint_auth_method')}
          label="How it authenticates"
          options={tokenEndpointAuthMethods.map((value) => ({ value, label: methodLabels[value] }))}
        />
        {isNew ? (
          <NewSecret {...field('client_secret')} />
        ) : (
          <KeptSecret error={errors.get('client_secret')} typed={props.secretTyped} />
        )}
      </FormSection>
      <FormSection title="What it may do">
        <TextArea
          {...field('redirect_uris')}
          label="Redirect URIs"
          hint="One a line, matched exactly. None: any acceptable URI (not under oauth21)."
          monospace
        />
        <Field
          {...field('scope')}
          label="Scope"
          hint={`Separated by spaces. Blank: all there are (${props.scopes.join(' ')}).`}
          spellcheck={false}
        />
        <div class="field-grid">
          <TextArea
            {...field('post_logout_redirect_uris')}
            label="Post-logout redirect URIs"
            hint="One a line: where a logout may lead."
            monospace
          />
          <TextArea
            {...field('allowed_resources')}
            label="Resources"
            hint="One a line (RFC 8707). None: any."
            monospace
          />
          <TextArea
            {...field('additional_audiences')}
            label="Additional audiences"
            hint="One a line: further aud values of ID tokens."
            monospace
          />
        </div>
      </FormSection>
      <FormSection
        title="Its login page"
        lead="Colours are # and six hexadecimal digits, such as #0b6b5d; the header’s also colours buttons and links. A logo lies in oauth.logos_dir, named like the client."
      >
        <div class="field-grid">
          {colours.map(([name, label]) => (
            <Field
              key={name}
              {...field(name)}
              label={label}
              autoComplete="off"
              spellcheck={false}
              maxLength={7}
              class="input-code"
            />
          ))}
        </div>
        <Select
          {...field('layout')}
          label="Layout"
          options={[
            { value: 'vertical', label: 'Vertical: the client above the form' },
            { value: 'horizontal', label: 'Horizontal: the client beside the form' },
          ]}
        />
        <MarkedCheckbox name="show_client_id" label="Show the client_id" checked={show_client_id} />
        <MarkedCheckbox name="show_description" label="Show the description" checked={show_description} />
      </FormSection>
      <FormActions>
        <Button>{isNew ? 'Create client' : 'Save client'}</Button>
        <ButtonLink href="/clients">Cancel</ButtonLink>
      </FormActions>
    </FileForm>
  );
}

const colours = [
  ['background_color', 'Background'],
  ['header_color', 'Header'],
  ['footer_color', 'Footer'],
] as const;

function NewSecret(field: Pick<FieldProps, 'name' | 'value' | 'error'>) {
  return (
    <div class="with-copy">
      <Field
        {...field}
        label="Client secret"
        hint="Drawn at random for this form. It is not shown again after saving. A public client has none."
        autoComplete="off"
        spellcheck={false}
        class="input-code"
      />
      <CopyButton from="client_secret" />
    </div>
  );
}

/** The stored secret never leaves, and what was typed is not sent back. */
function KeptSecret({ error, typed }: { readonly error: string | undefined; readonly typed: boolean }) {
  return (
    <Field
      name="client_secret"
      type="password"
      label="Client secret"
      error={error}
      hint={
        typed
          ? 'Type it once more: a form that comes back does not carry it.'
          : 'Blank: the secret stays as it is. It is never shown.'
      }
      autoComplete="new-password"
    />
  );
}
