// /clients/<client_id>/delete and POST /clients/forget (WEB-07, WEB-09, CMD-20).
import { type Reply, redirect } from '#shared/http/reply.ts';
import type { ParsedRequest, RequestContext } from '#shared/http/request.ts';
import { formRevision, type Refusal, save, savedNotice } from '../answer-save.tsx';
import { confirmPage } from '../confirm.tsx';
import { withNotice } from '../notices.ts';
import { declaredClient } from './declared-client.ts';
import { clientPath } from './list.tsx';

export async function deleteClientPage(request: ParsedRequest, context: RequestContext): Promise<Reply> {
  const { client, elsewhere } = await declaredClient(request, context);
  return client === undefined ? elsewhere : ask(request, context, client.client_id);
}

export async function deleteClient(request: ParsedRequest, context: RequestContext): Promise<Reply> {
  const { client, elsewhere } = await declaredClient(request, context);
  if (client === undefined) return elsewhere;
  const { client_id } = client;
  const result = await save(request, context, 'settings', [{ kind: 'delete_client', client_id }]);
  if (!result.saved) return ask(request, context, client_id, result);
  return redirect(context.path(withNotice('/clients', savedNotice(result, 'client_deleted'), client_id)));
}

/** Drops one cached metadata document; declared and runtime clients of the name stay as they are. */
export async function forgetClient(request: ParsedRequest, context: RequestContext): Promise<Reply> {
  const clientId = request.form.value('client_id') ?? '';
  const forgotten = await context.store.metadataDocuments.forget(clientId, context.clock.now());
  return redirect(context.path(withNotice('/clients', forgotten ? 'client_forgotten' : 'client_not_cached', clientId)));
}

function ask(request: ParsedRequest, context: RequestContext, clientId: string, refusal?: Refusal): Promise<Reply> {
  return confirmPage(request, context, {
    title: 'Delete client',
    question: (
      <>
        Delete <bdi>{clientId}</bdi>?
      </>
    ),
    consequence: 'The entry is removed from settings.yaml, and the client can no longer obtain or refresh tokens.',
    action: clientPath(clientId, 'delete'),
    verb: 'Delete client',
    back: '/clients',
    section: '/clients',
    revision: formRevision(request, context, 'settings'),
    refusal,
  });
}
