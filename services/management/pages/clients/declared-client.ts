// The declared client that a path of the web UI names, or the redirect that says why there is none: runtime and
// metadata-document clients are read-only here (WEB-06).
import type { Client } from '#shared/configuration/model/client-entry.ts';
import { findEffectiveClient } from '#shared/domain/effective-identities.ts';
import { type Reply, redirect } from '#shared/http/reply.ts';
import type { ParsedRequest, RequestContext } from '#shared/http/request.ts';
import { withNotice } from '../notices.ts';

export type DeclaredClient =
  | { readonly client: Client; readonly elsewhere: undefined }
  | { readonly client: undefined; readonly elsewhere: Reply };

export async function declaredClient(request: ParsedRequest, context: RequestContext): Promise<DeclaredClient> {
  const { snapshot, store, clock } = context;
  const clientId = request.pathParameters.client_id ?? '';
  const client = snapshot.clients.get(clientId);
  if (client !== undefined) return { client, elsewhere: undefined };
  const found = await findEffectiveClient(snapshot, store, clientId, clock.now());
  const code = found === undefined ? 'client_unknown' : 'client_read_only';
  return { client: undefined, elsewhere: redirect(context.path(withNotice('/clients', code, clientId))) };
}
