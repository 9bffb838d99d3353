// Checks that the client exists: declared, runtime, or identified by the address of its metadata document, which is
// fetched only here (AUT-09, CMD-01, CMD-02).
import type { AuditNote } from '#shared/engine/exchange/audited.ts';
import type { ProtocolContext } from '#shared/engine/exchange/request.ts';
import { type EffectiveClient, findEffectiveClient } from '#shared/engine/identities/effective-identities.ts';
import { authorizeRefusals } from '#shared/model/refusals/families/authorize.ts';
import { type OAuthError, oauthError } from '#shared/model/refusals/oauth-error.ts';
import { type Refused, RefusedError } from '#shared/model/refusals/refusal.ts';
import { resolveMetadataDocumentClient } from '../client-documents/metadata-document-client.ts';

export async function checkClient(clientId: string, context: ProtocolContext): Promise<EffectiveClient> {
  const known = await findEffectiveClient(context.snapshot, context.store, clientId, context.clock.now());
  // The resolver also looks up cached documents, because only the resolver knows whether one is fresh.
  if (known !== undefined && known.origin !== 'cimd') return known;
  if (!clientId.startsWith('https://')) throw oauthError(authorizeRefusals.client_id_unknown);
  // Called with the feature off too: the resolver logs why the client does not exist (CMD-02).
  const found = await resolveMetadataDocumentClient(clientId, context);
  if (!(found instanceof RefusedError)) return { client: found, origin: 'cimd' };
  const { enabled } = context.snapshot.settings.oauth.client_id_metadata_documents;
  if (!enabled) throw oauthError(authorizeRefusals.client_id_unknown);
  throw oauthError(authorizeRefusals.metadata_document_refused, undefined, { cause: found });
}

/** Why a document was rejected, where the settings show it (MDC-01). */
export function shownReason(error: OAuthError, { snapshot }: Pick<ProtocolContext, 'snapshot'>): Refused | undefined {
  const { show_reasons } = snapshot.settings.oauth.client_id_metadata_documents;
  return show_reasons && error.cause instanceof RefusedError ? withComparison(error.cause) : undefined;
}

/** A registration rejects some members in the same way. It names what was sent. */
function withComparison(reason: RefusedError): Refused {
  const { sent, ...others } = reason.details;
  const received = typeof sent === 'string' ? { received: sent } : {};
  const details = { expected: reason.refusal.expected, ...received, ...others };
  return { refusal: reason.refusal, message: reason.message, reason: reason.reason, username: undefined, details };
}

/** The rejection of a document as a separate event (AUD-17). */
export function noteRefusedDocument(
  error: OAuthError,
  client_id: string | undefined,
  context: Pick<ProtocolContext, 'snapshot'>,
  note: AuditNote,
): void {
  const as = { event_type: 'client_metadata_document_refused', client_id } as const;
  const reason = shownReason(error, context);
  if (reason === undefined) note.failed(as);
  else note.refused(reason, as);
}
