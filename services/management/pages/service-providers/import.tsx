// /service-providers/import: turns metadata (pasted, as a file or from its address) into the form of a new service
// provider, or of the existing one that it names. Errors are shown at their lines (SPM-28). Nothing is written here.

import type { Reply } from '#shared/engine/exchange/reply.ts';
import type { ManagementContext, ParsedRequest } from '#shared/engine/exchange/request.ts';
import {
  type ServiceProviderEntry,
  serviceProviderEntryModel,
} from '#shared/model/configuration/service-provider-entry.ts';
import { checkMetadata } from '#shared/state/configuration/service-providers/check-metadata.ts';
import { declaredEntry } from '#shared/state/configuration/service-providers/declared-service-providers.ts';
import { Button, ButtonLink } from '#shared/web/pages/components/button.tsx';
import { Field, TextArea } from '#shared/web/pages/components/field.tsx';
import { Notice } from '#shared/web/pages/components/notice.tsx';
import { OwnForm } from '#shared/web/pages/components/own-link.tsx';
import { fetchMetadata } from '../../service-providers/fetch-metadata.ts';
import { formRevision } from '../answer-save.tsx';
import { FormActions, noErrors } from '../form-parts.tsx';
import { type ManagementPage, managementPage } from '../shell.tsx';
import { listPath, serviceProviderPath } from './declared-service-provider.ts';
import { formOf } from './edit.tsx';
import { MetadataFindings } from './metadata-findings.tsx';
import { ServiceProviderForm } from './service-provider-form.tsx';
import { valuesOfEntry } from './service-provider-form-values.ts';

const importPath = `${listPath}/import`;

interface Given {
  readonly metadata: string;
  /** The address at which the metadata is published (SPM-26). */
  readonly address: string;
  readonly entityId: string;
}

const nothingGiven: Given = { metadata: '', address: '', entityId: '' };

export async function importMetadataPage(request: ParsedRequest, context: ManagementContext): Promise<Reply> {
  return importPage(request, context, { children: <MetadataForm given={nothingGiven} /> });
}

export async function importMetadata(request: ParsedRequest, context: ManagementContext): Promise<Reply> {
  const { form } = request;
  const sent: Given = {
    metadata: form.value('metadata_file') ?? form.value('metadata') ?? '',
    address: form.value('metadata_url')?.trim() ?? '',
    entityId: form.value('entity_id')?.trim() ?? '',
  };
  const refuse = (errors: MetadataErrors) =>
    importPage(request, context, { status: 400, children: <MetadataForm given={sent} errors={errors} /> });
  const isText = sent.metadata.trim() !== '';
  if (!isText && sent.address === '')
    return refuse({ metadata: 'Choose a file, paste its text, or enter its address.' });
  const fetched = isText ? { text: sent.metadata } : await fetchMetadata(sent.address, context);
  if ('reason' in fetched) return refuse({ address: `It cannot be fetched: ${fetched.reason}.` });
  const given = { ...sent, metadata: fetched.text };
  const named = given.entityId === '' ? undefined : given.entityId;
  const { entry, findings } = checkMetadata(given.metadata, context.clock.now(), named);
  const found = <MetadataFindings findings={findings} source={given.metadata} />;
  if (entry === null) {
    return importPage(request, context, {
      status: 400,
      notice: (
        <Notice kind="refusal" title="This metadata does not describe a usable service provider">
          The problems are listed below. Correct the text, or choose another file.
        </Notice>
      ),
      children: (
        <>
          {found}
          <MetadataForm given={given} />
        </>
      ),
    });
  }
  return filledForm(request, context, serviceProviderEntryModel.parse(entry), found);
}

/** Members that the metadata does not contain keep the values of the declared entry with that name. */
async function filledForm(
  request: ParsedRequest,
  context: ManagementContext,
  typed: ServiceProviderEntry,
  found: ManagementPage['notice'],
): Promise<Reply> {
  const { entity_id: entityId = '' } = typed;
  const declared = declaredEntry(context.snapshot, entityId);
  const edited = declared && { entityId, entry: declared };
  const isGiven = ([, value]: [string, unknown]) => value !== undefined;
  const entry: ServiceProviderEntry = { ...declared, ...Object.fromEntries(Object.entries(typed).filter(isGiven)) };
  return importPage(request, context, {
    heading: <bdi>{entityId}</bdi>,
    lead:
      edited === undefined
        ? 'These values are from its metadata. Nothing is saved until you create it.'
        : 'This service provider is already registered. The form shows its entry with the values from the metadata. Nothing is saved until you save it.',
    children: (
      <>
        {found}
        <ServiceProviderForm
          {...formOf(edited)}
          action={edited === undefined ? `${listPath}/create` : serviceProviderPath(entityId, 'edit')}
          values={valuesOfEntry(entry)}
          errors={noErrors}
          revision={formRevision(request, context, 'settings')}
        />
      </>
    ),
  });
}

function importPage(
  request: ParsedRequest,
  context: ManagementContext,
  page: Omit<ManagementPage, 'title' | 'section'>,
): Promise<Reply> {
  return managementPage(request, context, {
    title: 'Import metadata',
    lead: 'Fill the form of a new entry from the metadata of a SAML service provider. Nothing is saved until you create it.',
    section: listPath,
    ...page,
  });
}

type MetadataErrors = Partial<Record<'metadata' | 'address', string>>;

function MetadataForm({ given, errors = {} }: { readonly given: Given; readonly errors?: MetadataErrors }) {
  return (
    <OwnForm method="post" action={importPath} class="form" enctype="multipart/form-data">
      <section class="card">
        <Field
          name="metadata_file"
          type="file"
          accept=".xml,application/samlmetadata+xml,text/xml"
          label="Metadata file"
          hint="The XML file that the service provider publishes."
        />
        <TextArea
          name="metadata"
          label="Or the XML text"
          rows={10}
          value={given.metadata}
          error={errors.metadata}
          monospace
        />
        <Field
          name="metadata_url"
          type="url"
          label="Or the address"
          hint="On a host of oauth.client_fetch, or on loopback while this server is bound to loopback. Used only without a file or text, and fetched once."
          value={given.address}
          error={errors.address}
          autoComplete="off"
          spellcheck={false}
        />
        <Field
          name="entity_id"
          label="Entity ID"
          hint="Needed only if the metadata describes several entities."
          value={given.entityId}
          autoComplete="off"
          spellcheck={false}
        />
      </section>
      <FormActions>
        <Button>Read metadata</Button>
        <ButtonLink href={listPath}>Cancel</ButtonLink>
      </FormActions>
    </OwnForm>
  );
}
