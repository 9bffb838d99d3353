// The client exists: declared, runtime, or named by the address of its metadata document, which is fetched here and
// nowhere else (AUT-09, CMD-01, CMD-02). Why a document was refused stands in the log only.

import type { ProtocolContext } from '#shared/engine/exchange/request.ts';
import { type EffectiveClient, findEffectiveClient } from '#shared/engine/identities/effective-identities.ts';
import { authorizeRefusals } from '#shared/model/refusals/families/authorize.ts';
import { oauthError } from '#shared/model/refusals/oauth-error.ts';
import { resolveMetadataDocumentClient } from '../client-documents/metadata-document-client.ts';

export async function checkClient(clientId: string, context: ProtocolContext): Promise<EffectiveClient> {
  const known = await findEffectiveClient(context.snapshot, context.store, clientId, context.clock.now());
  // A cached document is looked up by the resolver too: only there is it known to be fresh.
  if (known !== undefined && known.origin !== 'cimd') return known;
  // Asked with the feature off too: the resolver logs why there is no client (CMD-02).
  const client = clientId.startsWith('https://') ? await resolveMetadataDocumentClient(clientId, context) : undefined;
  if (client !== undefined) return { client, origin: 'cimd' };
  const { enabled } = context.snapshot.settings.oauth.client_id_metadata_documents;
  // The audit records a refused document by an event of its own (AUD-17).
  const document = enabled && clientId.startsWith('https://');
  throw oauthError(document ? authorizeRefusals.metadata_document_refused : authorizeRefusals.client_id_unknown);
}
