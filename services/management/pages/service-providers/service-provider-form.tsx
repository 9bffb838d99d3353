// The form to create and edit a service provider of settings.yaml.
import { serviceProviderSections } from '#shared/model/configuration/form-sections.ts';
import { nameIdFormatNames } from '#shared/protocol/saml/name-formats.ts';
import { Button, ButtonLink } from '#shared/web/pages/components/button.tsx';
import { Select } from '#shared/web/pages/components/field.tsx';
import { type FieldErrors, FileForm, FormActions } from '../form-parts.tsx';
import type { FormValues } from '../form-values.ts';
import { type Bound, ModelSections, type PageProvidedProps } from '../model-form.tsx';
import { listPath } from './declared-service-provider.ts';
import { serviceProviderForm } from './service-provider-form-values.ts';

interface ServiceProviderFormProps {
  readonly action: string;
  readonly values: FormValues;
  readonly errors: FieldErrors;
  readonly revision: string;
  readonly isNew: boolean;
  /** Its name, when only its metadata contains it. */
  readonly nameInMetadata: string | undefined;
}

export function ServiceProviderForm({ isNew, nameInMetadata, ...props }: ServiceProviderFormProps) {
  return (
    <FileForm action={props.action} revision={props.revision}>
      <ModelSections
        sections={serviceProviderSections}
        fields={serviceProviderForm}
        values={nameInMetadata === undefined ? props.values : new Map([...props.values, ['entity_id', nameInMetadata]])}
        errors={props.errors}
        known={{
          ...examples,
          entity_id: isNew ? {} : { readOnly: true, hint: keptNameHint(nameInMetadata) },
          acs: {
            hint: 'One address per line, or JSON: a list of objects with `url`, `index`, `default` and `binding`.',
          },
          encrypt: { hint: 'Any of `assertion`, `name_id` and `attributes`, separated by commas.' },
          name_id_format: { render: (bound) => <NameIdFormat {...bound} /> },
        }}
      />
      <FormActions>
        <Button>{isNew ? 'Create service provider' : 'Save service provider'}</Button>
        <ButtonLink href={listPath}>Cancel</ButtonLink>
      </FormActions>
    </FileForm>
  );
}

function keptNameHint(nameInMetadata: string | undefined): string {
  return nameInMetadata === undefined ? 'The entity ID cannot be changed.' : 'From its metadata.';
}

/** Examples for fields that are typed as JSON. */
const examples: Readonly<Record<string, PageProvidedProps>> = Object.fromEntries(
  serviceProviderForm.flatMap(({ name, control, field }) => {
    const { example } = field.notes;
    if (control !== 'json' || example === undefined) return [];
    const remark = (
      <>
        {' '}
        JSON, such as <code>{example}</code>.
      </>
    );
    return [[name, { remark }]];
  }),
);

function NameIdFormat(bound: Bound) {
  const options = nameIdFormatNames.map(([name, uri]) => ({ value: uri, label: name }));
  return (
    <Select {...bound} hint="Used if the request names none." options={[{ value: '', label: 'Not set' }, ...options]} />
  );
}
