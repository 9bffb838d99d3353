// The declared client that a path of the web UI names, or the redirect that explains why none exists. Runtime and
// metadata-document clients are read-only here (WEB-06).

import type { ParsedRequest, ProtocolContext } from '#shared/engine/exchange/request.ts';
import { findEffectiveClient } from '#shared/engine/identities/effective-identities.ts';
import type { Client } from '#shared/model/configuration/client-entry.ts';
import { type Declared, declaredOr } from '../declared.ts';

export async function declaredClient(request: ParsedRequest, context: ProtocolContext): Promise<Declared<Client>> {
  const { snapshot, store, clock } = context;
  const clientId = request.pathParameters.client_id ?? '';
  const client = snapshot.clients.get(clientId);
  const known = client ?? (await findEffectiveClient(snapshot, store, clientId, clock.now()));
  const code = known === undefined ? 'client_unknown' : 'client_read_only';
  return declaredOr(client, context, { list: '/clients', code, name: clientId });
}
