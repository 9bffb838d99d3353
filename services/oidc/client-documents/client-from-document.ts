// The requirements for a fetched metadata document to become a client (CMD-11, CMD-12). It names its own address
// literally, is public, and lists its redirect URIs. It is read like a registration. Of other members, only those count
// by which a client demands stricter rules for itself (RFC 9449 §5.2, RFC 9126 §6). Pure.
import { clientDemands } from '#shared/model/configuration/client-demands.ts';
import type { ClientEntry } from '#shared/model/configuration/client-entry.ts';
import type { ConfigurationSnapshot } from '#shared/model/configuration/configuration-snapshot.ts';
import { asClientMetadata, entryFromMetadata } from '#shared/model/oauth-rules/client-metadata.ts';
import { DocumentRefusedError } from './document-refused.ts';

interface DocumentedClient {
  readonly entry: ClientEntry;
  /**
   * Members that a document must not have (OAuth Client ID Metadata Document §4.1): the document is public, whatever
   * they contain.
   */
  readonly secrets: readonly string[];
}

const secretMembers = ['client_secret', 'client_secret_expires_at'] as const;

/** @throws DocumentRefusedError; OAuthError for members that a registration rejects, too */
export function clientFromDocument(
  clientId: string,
  body: Uint8Array,
  snapshot: Pick<ConfigurationSnapshot, 'settings' | 'rules'>,
): DocumentedClient {
  const metadata = asClientMetadata(parseJson(body));
  if (metadata.client_id !== clientId) {
    throw new DocumentRefusedError('document_client_id_differs', {
      problem: 'client_id of the document differs from its address',
      expected: clientId,
      received: shown(metadata.client_id),
    });
  }
  const method = metadata.token_endpoint_auth_method;
  if (method !== undefined && method !== 'none') {
    throw new DocumentRefusedError('document_authentication_method_wrong', {
      problem: 'token_endpoint_auth_method of the document must be none or absent',
      expected: 'none',
      received: shown(method),
    });
  }
  const entry = entryFromMetadata(metadata, snapshot, { client_id: clientId, token_endpoint_auth_method: 'none' });
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
    throw new DocumentRefusedError('document_not_json', {
      problem: 'the document is not well-formed JSON in UTF-8',
      expected: 'a JSON object in UTF-8',
      received: body.length === 0 ? 'an empty body' : `${body.length} bytes that are no JSON`,
    });
  }
}

/** A member as text. Of other types than texts, only the type is worth showing. */
function shown(value: unknown): string {
  if (value === undefined) return 'no such member';
  if (typeof value === 'string') return value;
  return Array.isArray(value) ? 'a list' : `a value of type ${value === null ? 'null' : typeof value}`;
}
