// /clients/<client_id>/delete and POST /clients/forget (WEB-07, WEB-09, CMD-20).

import { type Reply, redirect } from '#shared/engine/exchange/reply.ts';
import type { ParsedRequest, ProtocolContext } from '#shared/engine/exchange/request.ts';
import type { Client } from '#shared/model/configuration/client-entry.ts';
import { withNotice } from '../notices.ts';
import { removal } from '../removal.tsx';
import { declaredClient } from './declared-client.ts';
import { clientPath } from './list.tsx';

export const { page: deleteClientPage, remove: deleteClient } = removal<Client>({
  noun: 'client',
  file: 'settings',
  list: '/clients',
  removed: 'client_deleted',
  declared: declaredClient,
  nameOf: ({ client_id }) => client_id,
  changeOf: (client_id) => ({ kind: 'delete_client', client_id }),
  consequence: () => 'This removes the entry from settings.yaml. The client can no longer get or refresh tokens.',
  action: (clientId) => clientPath(clientId, 'delete'),
  back: () => '/clients',
});

/** Drops one cached metadata document. Declared and runtime clients with the same name stay unchanged. */
export async function forgetClient(request: ParsedRequest, context: ProtocolContext): Promise<Reply> {
  const clientId = request.form.value('client_id') ?? '';
  const forgotten = await context.store.metadataDocuments.remove(clientId, context.clock.now());
  return redirect(context.path(withNotice('/clients', forgotten ? 'client_forgotten' : 'client_not_cached', clientId)));
}
