// /clients/create and /clients/<client_id>/edit: the client form and its changes to settings.yaml (WEB-07).

import type { Reply } from '#shared/engine/exchange/reply.ts';
import type { ManagementContext, ParsedRequest } from '#shared/engine/exchange/request.ts';
import type { Client } from '#shared/model/configuration/client-entry.ts';
import { ButtonLink } from '#shared/web/pages/components/button.tsx';
import { answerSaved, type FormState, formAnswer, formRevision, save } from '../answer-save.tsx';
import { noErrors } from '../form-parts.tsx';
import { type FormValues, textField, typedValues } from '../form-values.ts';
import { problemOfName } from '../names-in-addresses.ts';
import { managementPage } from '../shell.tsx';
import { verdictPath } from '../verdict.tsx';
import { ClientForm } from './client-form.tsx';
import { clientForm, newClientValues, readClientForm, valuesOfEntry } from './client-form-values.ts';
import { declaredClient } from './declared-client.ts';
import { clientPath } from './list.tsx';

export async function newClientPage(request: ParsedRequest, context: ManagementContext): Promise<Reply> {
  return showForm(request, context, undefined, { values: newClientValues(context.random.token()) });
}

export async function editClientPage(request: ParsedRequest, context: ManagementContext): Promise<Reply> {
  const { found: client, elsewhere } = await declaredClient(request, context);
  return client === undefined ? elsewhere : showForm(request, context, client, { values: valuesOfEntry(client) });
}

export async function createClient(request: ParsedRequest, context: ManagementContext): Promise<Reply> {
  return saveClient(request, context, undefined, typedValues(clientForm, request.form, newClientValues('')));
}

export async function saveEditedClient(request: ParsedRequest, context: ManagementContext): Promise<Reply> {
  const { found: client, elsewhere } = await declaredClient(request, context);
  if (client === undefined) return elsewhere;
  const values = typedValues(clientForm, request.form, valuesOfEntry(client));
  // A typed secret is not sent back.
  return saveClient(
    request,
    context,
    client,
    new Map([...values, ['client_id', client.client_id], ['client_secret', '']]),
  );
}

async function saveClient(
  request: ParsedRequest,
  context: ManagementContext,
  current: Client | undefined,
  values: FormValues,
): Promise<Reply> {
  const reading = readClientForm(request.form, current);
  const errors = new Map(reading.outcome === 'refused' ? reading.errors : noErrors);
  const problem =
    current === undefined ? problemOfName(textField(request.form, 'client_id') ?? '', 'client_id') : undefined;
  if (problem !== undefined) errors.set('client_id', problem);
  if (reading.outcome === 'refused' || errors.size > 0) {
    return showForm(request, context, current, { values, errors });
  }
  const { entry } = reading;
  const change =
    current === undefined
      ? ({ kind: 'add_client', entry } as const)
      : ({ kind: 'replace_client', client_id: entry.client_id, entry } as const);
  const result = await save(request, context, 'settings', [change]);
  return answerSaved(context, result, {
    code: current === undefined ? 'client_created' : 'client_saved',
    path: '/clients',
    name: entry.client_id,
    nameField: 'client_id',
    again: (refused) => showForm(request, context, current, { values, ...refused }),
  });
}

async function showForm(
  request: ParsedRequest,
  context: ManagementContext,
  current: Client | undefined,
  shown: FormState<FormValues>,
): Promise<Reply> {
  const isNew = current === undefined;
  const action = isNew ? '/clients/create' : clientPath(current.client_id, 'edit');
  const { settings } = context.snapshot;
  const answer = formAnswer(shown, action);
  return managementPage(request, context, {
    title: isNew ? 'New client' : 'Edit client',
    heading: isNew ? 'New client' : <bdi>{current.client_id}</bdi>,
    lead: isNew ? 'Saved to settings.yaml.' : 'Edit this client’s entry in settings.yaml.',
    section: '/clients',
    actions: isNew ? undefined : (
      <ButtonLink href={verdictPath({ client_id: current.client_id, sp: null, flow: null })}>Verdict</ButtonLink>
    ),
    ...answer,
    // The form of a new client contains its secret.
    noStore: isNew,
    children: (
      <ClientForm
        action={action}
        values={shown.values}
        errors={shown.errors ?? noErrors}
        revision={formRevision(request, context, 'settings')}
        isNew={isNew}
        scopes={settings.oauth.scopes_supported}
        secretTyped={!isNew && (request.form.first('client_secret') ?? '') !== ''}
      />
    ),
  });
}
