// /service-providers/create and /service-providers/edit: the form of a service provider and its changes to
// settings.yaml (SPM-28).

import type { Reply } from '#shared/engine/exchange/reply.ts';
import type { ManagementContext, ParsedRequest } from '#shared/engine/exchange/request.ts';
import { loadedServiceProvider } from '#shared/state/configuration/service-providers/declared-service-providers.ts';
import type { EffectiveReading } from '#shared/state/configuration/service-providers/effective-service-provider.ts';
import { answerSaved, type FormState, formAnswer, formRevision, save } from '../answer-save.tsx';
import { asSentence, type FieldErrors, noErrors } from '../form-parts.tsx';
import { type FormValues, typedValues } from '../form-values.ts';
import { managementPage } from '../shell.tsx';
import {
  type DeclaredServiceProvider,
  declaredServiceProvider,
  listPath,
  serviceProviderPath,
} from './declared-service-provider.ts';
import { InForce } from './in-force.tsx';
import { ServiceProviderForm } from './service-provider-form.tsx';
import {
  controlOf,
  newServiceProviderValues,
  readServiceProviderForm,
  serviceProviderForm,
  valuesOfEntry,
} from './service-provider-form-values.ts';

/** The entry being edited. undefined: a new one. */
type Edited = DeclaredServiceProvider | undefined;

export async function newServiceProviderPage(request: ParsedRequest, context: ManagementContext): Promise<Reply> {
  return showForm(request, context, undefined, { values: newServiceProviderValues() });
}

export async function editServiceProviderPage(request: ParsedRequest, context: ManagementContext): Promise<Reply> {
  const { found: declared, elsewhere } = await declaredServiceProvider(request, context);
  if (declared === undefined) return elsewhere;
  return showForm(request, context, declared, { values: valuesOfEntry(declared.entry) });
}

export async function createServiceProvider(request: ParsedRequest, context: ManagementContext): Promise<Reply> {
  const values = typedValues(serviceProviderForm, request.form, newServiceProviderValues());
  return saveServiceProvider(request, context, undefined, values);
}

export async function saveEditedServiceProvider(request: ParsedRequest, context: ManagementContext): Promise<Reply> {
  const { found: declared, elsewhere } = await declaredServiceProvider(request, context);
  if (declared === undefined) return elsewhere;
  const values = typedValues(serviceProviderForm, request.form, valuesOfEntry(declared.entry));
  return saveServiceProvider(request, context, declared, values);
}

async function saveServiceProvider(
  request: ParsedRequest,
  context: ManagementContext,
  edited: Edited,
  values: FormValues,
): Promise<Reply> {
  const reading = readServiceProviderForm(request.form, edited?.entry);
  if (reading.outcome === 'refused') return showForm(request, context, edited, { values, errors: reading.errors });
  const { entry } = reading;
  const { snapshot, clock } = context;
  const whole = loadedServiceProvider(entry, snapshot, clock.now());
  const { serviceProvider } = whole;
  if (serviceProvider === undefined) {
    return showForm(request, context, edited, { values, errors: errorsOf(whole) });
  }
  const { entity_id } = serviceProvider;
  const change =
    edited === undefined
      ? ({ kind: 'add_service_provider', entity_id, entry } as const)
      : ({ kind: 'replace_service_provider', entity_id: edited.entityId, entry } as const);
  const result = await save(request, context, 'settings', [change]);
  return answerSaved(context, result, {
    code: edited === undefined ? 'service_provider_created' : 'service_provider_saved',
    path: listPath,
    name: entity_id,
    nameField: 'entity_id',
    again: (refused) => showForm(request, context, edited, { values, ...refused }),
  });
}

function errorsOf({ findings, metadataFindings }: EffectiveReading): FieldErrors {
  const errors = new Map<string, string>();
  const put = (control: string, sentence: string) => errors.has(control) || errors.set(control, sentence);
  for (const { level, field, message } of findings) {
    if (level !== 'error') continue;
    const control = controlOf(field);
    put(control, control === field ? asSentence(message) : `“${field}” ${message}.`);
  }
  for (const { level, line, column, message } of metadataFindings) {
    if (level === 'error') put('metadata_file', asSentence(`line ${line}, column ${column}: ${message}`));
  }
  return errors;
}

async function showForm(
  request: ParsedRequest,
  context: ManagementContext,
  edited: Edited,
  shown: FormState<FormValues>,
): Promise<Reply> {
  const action = edited === undefined ? `${listPath}/create` : serviceProviderPath(edited.entityId, 'edit');
  const isUntouched = shown.errors === undefined && shown.refusal === undefined;
  return managementPage(request, context, {
    title: edited === undefined ? 'New service provider' : 'Edit service provider',
    heading: edited === undefined ? 'New service provider' : <bdi>{edited.entityId}</bdi>,
    lead: edited === undefined ? 'Saved to settings.yaml.' : 'Edit this service provider’s entry in settings.yaml.',
    section: listPath,
    ...formAnswer(shown, action),
    children: (
      <>
        <ServiceProviderForm
          {...formOf(edited)}
          action={action}
          values={shown.values}
          errors={shown.errors ?? noErrors}
          revision={formRevision(request, context, 'settings')}
        />
        {edited !== undefined && isUntouched && (
          <InForce {...loadedServiceProvider(edited.entry, context.snapshot, context.clock.now())} />
        )}
      </>
    ),
  });
}

/** The differences of the form for an existing entry. */
export function formOf(edited: Edited) {
  const nameInMetadata = edited?.entry.entity_id === undefined ? edited?.entityId : undefined;
  return { isNew: edited === undefined, nameInMetadata };
}
