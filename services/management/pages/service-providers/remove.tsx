// /service-providers/delete (SPM-28).
import { type Reply, redirect } from '#shared/http/reply.ts';
import type { ParsedRequest, RequestContext } from '#shared/http/request.ts';
import { formRevision, type Refusal, save, savedNotice } from '../answer-save.tsx';
import { confirmPage } from '../confirm.tsx';
import { withNotice } from '../notices.ts';
import { declaredServiceProvider, listPath, serviceProviderPath } from './declared-service-provider.ts';

export async function deleteServiceProviderPage(request: ParsedRequest, context: RequestContext): Promise<Reply> {
  const declared = await declaredServiceProvider(request, context);
  return declared.entry === undefined ? declared.elsewhere : ask(request, context, declared.entityId);
}

export async function deleteServiceProvider(request: ParsedRequest, context: RequestContext): Promise<Reply> {
  const declared = await declaredServiceProvider(request, context);
  if (declared.entry === undefined) return declared.elsewhere;
  const { entityId: entity_id } = declared;
  const result = await save(request, context, 'settings', [{ kind: 'delete_service_provider', entity_id }]);
  if (!result.saved) return ask(request, context, entity_id, result);
  return redirect(context.path(withNotice(listPath, savedNotice(result, 'service_provider_deleted'), entity_id)));
}

function ask(request: ParsedRequest, context: RequestContext, entityId: string, refusal?: Refusal): Promise<Reply> {
  const isTaken = context.snapshot.settings.saml.unregistered === 'allow';
  return confirmPage(request, context, {
    title: 'Delete service provider',
    question: (
      <>
        Delete <bdi>{entityId}</bdi>?
      </>
    ),
    consequence: `The entry is removed from settings.yaml; a metadata file that it names stays where it is. Its requests are ${
      isTaken ? 'answered from then on as those of any unregistered service provider' : 'refused from then on'
    }.`,
    action: serviceProviderPath(entityId, 'delete'),
    verb: 'Delete service provider',
    back: listPath,
    section: listPath,
    revision: formRevision(request, context, 'settings'),
    refusal,
  });
}
