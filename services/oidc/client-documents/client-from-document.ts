// The requirements for a fetched metadata document to become a client (CMD-11, CMD-12). It names its own address
// literally, is public, and lists its redirect URIs. It is read like a registration. Of other members, only those count
// by which a client demands stricter rules for itself (RFC 9449 §5.2, RFC 9126 §6). Pure.
import { clientDemands } from '#shared/model/configuration/client-demands.ts';
import type { ClientEntry } from '#shared/model/configuration/client-entry.ts';
import { asClientMetadata, entryFromMetadata } from '#shared/model/oauth-rules/client-metadata.ts';
import type { ScopeVocabulary } from '#shared/model/oauth-rules/scope.ts';
import { metadataDocumentRefusals } from '#shared/model/refusals/families/registration.ts';
import { oauthError } from '#shared/model/refusals/oauth-error.ts';

interface DocumentedClient {
  readonly entry: ClientEntry;
  /**
   * Members that a document must not have (OAuth Client ID Metadata Document §4.1): the document is public, whatever
   * they contain.
   */
  readonly secrets: readonly string[];
}

const secretMembers = ['client_secret', 'client_secret_expires_at'] as const;

/** @throws OAuthError whose message is the reason, for the log alone. */
export function clientFromDocument(clientId: string, body: Uint8Array, vocabulary: ScopeVocabulary): DocumentedClient {
  const metadata = asClientMetadata(parseJson(body));
  if (metadata.client_id !== clientId) throw oauthError(metadataDocumentRefusals.document_of_another_client);
  const method = metadata.token_endpoint_auth_method;
  if (method !== undefined && method !== 'none') {
    throw oauthError(metadataDocumentRefusals.document_of_confidential_client);
  }
  const entry = entryFromMetadata(metadata, vocabulary, { client_id: clientId, token_endpoint_auth_method: 'none' });
  const demanded = clientDemands.flatMap(({ member }) => (metadata[member] === true ? [[member, true] as const] : []));
  return {
    entry: { ...entry, ...Object.fromEntries(demanded) },
    secrets: secretMembers.filter((name) => metadata[name] !== undefined),
  };
}

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    throw oauthError(metadataDocumentRefusals.document_not_json);
  }
}
