// What a fetched metadata document has to say to become a client (CMD-11, CMD-12): it claims its own address literally,
// is public and lists where codes may be sent. Read as a registration is; other members are ignored. Pure.
import type { ClientEntry } from '#shared/configuration/model/client-entry.ts';
import { asClientMetadata, entryFromMetadata, invalidMetadata } from '#shared/protocol/oauth2/client-metadata.ts';

/** @throws OAuthError whose message is the reason, for the log alone. */
export function clientFromDocument(clientId: string, body: Uint8Array, vocabulary: readonly string[]): ClientEntry {
  const metadata = asClientMetadata(parseJson(body));
  if (metadata.client_id !== clientId) throw invalidMetadata("'client_id' is not the address of the document.");
  const method = metadata.token_endpoint_auth_method;
  if (method !== undefined && method !== 'none') {
    throw invalidMetadata("'token_endpoint_auth_method' must be none or absent.");
  }
  return entryFromMetadata(metadata, vocabulary, { client_id: clientId, token_endpoint_auth_method: 'none' });
}

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    throw invalidMetadata('The document is not well-formed JSON in UTF-8.');
  }
}
