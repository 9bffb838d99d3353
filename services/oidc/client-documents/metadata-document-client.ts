// The client that an https client_id identifies by the address of its metadata document (section CMD). Only /authorize
// and /par fetch it. Every other endpoint finds such a client in the cache. A rejection is logged with its reason, but
// the response carries none (CMD-02).
import { plusSeconds } from '#shared/base/clock.ts';
import { bindsToLoopback } from '#shared/base/loopback.ts';
import type { ProtocolContext } from '#shared/engine/exchange/request.ts';
import { type Client, clientFromEntry } from '#shared/model/configuration/client-entry.ts';
import type { MetadataDocument } from '#shared/model/domain/metadata-document.ts';
import { OAuthError } from '#shared/model/refusals/oauth-error.ts';
import { type ClientIdUrl, isAllowedHost, parseClientIdUrl } from '#shared/protocol/oauth2/client-id-url.ts';
import { clientFromDocument } from './client-from-document.ts';
import { DocumentRefusedError, type FetchOptions, fetchMetadataDocument } from './fetch-metadata-document.ts';

/** How the document is fetched. Tests pass another resolver and certificate authority. */
export type DocumentSource = Omit<FetchOptions, 'allowLoopback' | 'takeFetch'>;

/**
 * The client: from the cache while its document is fresh, else from its address. undefined when no usable client
 * exists. Documents are cached, rejections are not (CMD-14). The client is returned even when all places of the cache
 * are held. Then completing its authorization fails with temporarily_unavailable (CMD-16).
 * @throws RuntimeStoreUnavailableError
 */
export async function resolveMetadataDocumentClient(
  clientId: string,
  context: ProtocolContext,
  source: DocumentSource = {},
): Promise<Client | undefined> {
  try {
    const url = acceptableUrl(clientId, context);
    const cached = await context.store.metadataDocuments.findFresh(clientId, context.clock.now());
    const document = cached ?? (await fetchAndKeep(url, context, source));
    return clientFromEntry(document.entry);
  } catch (error) {
    if (!(error instanceof DocumentRefusedError) && !(error instanceof OAuthError)) throw error;
    logRefusal(clientId, error, context);
    return undefined;
  }
}

/** A rejection here costs no fetch (CMD-10). */
function acceptableUrl(clientId: string, { snapshot }: ProtocolContext): ClientIdUrl {
  const { enabled } = snapshot.settings.oauth.client_id_metadata_documents;
  if (!enabled) throw new DocumentRefusedError('client_id_metadata_documents is not enabled');
  const url = parseClientIdUrl(clientId);
  if (typeof url === 'string') throw new DocumentRefusedError(url);
  return url;
}

async function fetchAndKeep(
  url: ClientIdUrl,
  context: ProtocolContext,
  source: DocumentSource,
): Promise<MetadataDocument> {
  const { settings } = context.snapshot;
  const { allowed_hosts: allowedHosts, allow_loopback: loopbackWanted } = settings.oauth.client_id_metadata_documents;
  if (!isAllowedHost(url, allowedHosts)) throw new DocumentRefusedError('its host and port are not in allowed_hosts');
  const allowLoopback = loopbackWanted && bindsToLoopback(context.boundHost ?? '');
  const { metadataDocuments } = context.store;
  const takeFetch = () => metadataDocuments.admitFetch(context.clock.real());
  const fetched = await fetchMetadataDocument(url, { ...source, allowLoopback, takeFetch });
  const { entry, secrets } = clientFromDocument(url.clientId, fetched.body, settings.oauth);
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
