// The client that an https client_id identifies by the address of its metadata document (section CMD). Only /authorize
// and /par fetch it. Every other endpoint finds such a client in the cache. A rejection is logged with its reason, but
// the response never has it (CMD-02).
import { plusSeconds } from '#shared/base/clock.ts';
import { bindsToLoopback, isLoopbackHost } from '#shared/base/loopback.ts';
import type { ProtocolContext } from '#shared/engine/exchange/request.ts';
import { type Client, clientFromEntry } from '#shared/model/configuration/client-entry.ts';
import type { MetadataDocument } from '#shared/model/domain/metadata-document.ts';
import { authorizeRefusals } from '#shared/model/refusals/families/authorize.ts';
import { OAuthError, oauthError } from '#shared/model/refusals/oauth-error.ts';
import type { RefusedError } from '#shared/model/refusals/refusal.ts';
import { type ClientIdUrl, isAllowedHost, parseClientIdUrl } from '#shared/protocol/oauth2/client-id-url.ts';
import { clientFromDocument } from './client-from-document.ts';
import { addressMalformed, DocumentRefusedError, placeOf } from './document-refused.ts';
import { type FetchOptions, fetchMetadataDocument } from './fetch-metadata-document.ts';

/** How the document is fetched. Tests pass another resolver and certificate authority. */
export type DocumentSource = Omit<FetchOptions, 'allowLoopback' | 'takeFetch'>;

/**
 * The client: from the cache while its document is fresh, else from its address; or why no usable client exists, which
 * is already logged. Documents are cached, rejections are not (CMD-14). The client is returned even when all places of the cache
 * are held. Then completing its authorization fails with temporarily_unavailable (CMD-16).
 * @throws RuntimeStoreUnavailableError
 */
export async function resolveMetadataDocumentClient(
  clientId: string,
  context: ProtocolContext,
  source: DocumentSource = {},
): Promise<Client | RefusedError> {
  if (!context.snapshot.settings.oauth.client_id_metadata_documents.enabled) {
    logRefusal(clientId, new Error('client_id_metadata_documents is not enabled'), context);
    return oauthError(authorizeRefusals.client_id_unknown);
  }
  try {
    const url = parseClientIdUrl(clientId);
    if (typeof url === 'string') throw addressMalformed(url, clientId);
    const cached = await context.store.metadataDocuments.findFresh(clientId, context.clock.now());
    const document = cached ?? (await fetchAndKeep(url, context, source));
    return clientFromEntry(document.entry);
  } catch (error) {
    if (!(error instanceof DocumentRefusedError) && !(error instanceof OAuthError)) throw error;
    logRefusal(clientId, error, context);
    return error;
  }
}

async function fetchAndKeep(
  url: ClientIdUrl,
  context: ProtocolContext,
  source: DocumentSource,
): Promise<MetadataDocument> {
  const { allowed_hosts: allowedHosts, allow_loopback } = context.snapshot.settings.oauth.client_id_metadata_documents;
  const allowLoopback = allow_loopback && bindsToLoopback(context.boundHost ?? '');
  // A program on this machine has another port at every start (MDC-03).
  if (!isAllowedHost(url, allowedHosts) && !(allowLoopback && isLoopbackHost(url.host))) {
    throw new DocumentRefusedError('document_host_not_allowed', {
      problem: 'its host and port are not in allowed_hosts',
      expected: allowedHosts.join(', ') || 'no host is allowed',
      received: placeOf(url),
    });
  }
  const { metadataDocuments } = context.store;
  const takeFetch = () => metadataDocuments.admitFetch(context.clock.real());
  const fetched = await fetchMetadataDocument(url, { ...source, allowLoopback, takeFetch });
  const { entry, secrets } = clientFromDocument(url.clientId, fetched.body, context.snapshot);
  if (secrets.length > 0) logSecrets(url.clientId, secrets, context);
  const fetchedAt = context.clock.now();
  const document: MetadataDocument = {
    client_id: url.clientId,
    entry,
    fetchedAt,
    freshUntil: plusSeconds(fetchedAt, fetched.lifetimeSeconds),
  };
  if ((await metadataDocuments.save(document, fetchedAt)) === 'full') {
    context.log.warn('the metadata cache is full of documents with active codes, so another document was not cached');
  }
  return document;
}

/**
 * Ignored like every other unknown member (CMD-12), although a server that follows the draft may reject the document.
 */
function logSecrets(clientId: string, secrets: readonly string[], context: ProtocolContext): void {
  const members = secrets.join(' and ');
  const sentence = `ignored ${members} in a client metadata document: the document is public, so it must not contain secrets`;
  context.log.warn(clientNamedBy(clientId, context), sentence);
}

function clientNamedBy(clientId: string, { snapshot }: ProtocolContext): { readonly client_id?: string } {
  return snapshot.settings.logging.verbose_logging ? { client_id: clientId } : {};
}

function logRefusal(clientId: string, error: Error, context: ProtocolContext): void {
  const { log } = context;
  const who = clientNamedBy(clientId, context);
  const cause = error.cause instanceof Error ? { cause: error.cause.message } : {};
  log.warn({ ...who, ...cause, reason: error.message }, 'rejected a client metadata document');
}
