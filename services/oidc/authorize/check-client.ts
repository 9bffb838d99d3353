// Checks that the client exists: declared, runtime, or identified by the address of its metadata document, which is
// fetched only here (AUT-09, CMD-01, CMD-02). Only the log says why a document was rejected.

import type { ProtocolContext } from '#shared/engine/exchange/request.ts';
import { type EffectiveClient, findEffectiveClient } from '#shared/engine/identities/effective-identities.ts';
import { authorizeRefusals } from '#shared/model/refusals/families/authorize.ts';
import { oauthError } from '#shared/model/refusals/oauth-error.ts';
import { resolveMetadataDocumentClient } from '../client-documents/metadata-document-client.ts';

export async function checkClient(clientId: string, context: ProtocolContext): Promise<EffectiveClient> {
  const known = await findEffectiveClient(context.snapshot, context.store, clientId, context.clock.now());
  // The resolver also looks up cached documents, because only the resolver knows whether one is fresh.
  if (known !== undefined && known.origin !== 'cimd') return known;
  // Called with the feature off too: the resolver logs why the client does not exist (CMD-02).
  const client = clientId.startsWith('https://') ? await resolveMetadataDocumentClient(clientId, context) : undefined;
  if (client !== undefined) return { client, origin: 'cimd' };
  const { enabled } = context.snapshot.settings.oauth.client_id_metadata_documents;
  // The audit records a rejected document as a separate event (AUD-17).
  const document = enabled && clientId.startsWith('https://');
  throw oauthError(document ? authorizeRefusals.metadata_document_refused : authorizeRefusals.client_id_unknown);
}
