// Fetches the documents that a client publishes at its own address, its keys and request objects. It fetches only from
// the hosts of oauth.client_fetch, within the limits of metadata documents (SSO-51, CMD-05 to CMD-10).

import { bindsToLoopback } from '#shared/base/loopback.ts';
import type { ProtocolContext } from '#shared/engine/exchange/request.ts';
import { isAllowedHost, parseClientIdUrl } from '#shared/protocol/oauth2/client-id-url.ts';
import { addressMalformed, DocumentRefusedError, placeOf } from './document-refused.ts';
import { type FetchedDocument, fetchMetadataDocument } from './fetch-metadata-document.ts';

/** @throws DocumentRefusedError, whose message begins with `it`; RuntimeStoreUnavailableError */
export async function fetchClientDocument(
  address: string,
  { snapshot, store, clock, boundHost }: ProtocolContext,
): Promise<FetchedDocument> {
  const { allowed_hosts, allow_loopback, verify_tls } = snapshot.settings.oauth.client_fetch;
  const url = parseClientIdUrl(address);
  if (typeof url === 'string') throw addressMalformed(url, address);
  if (!isAllowedHost(url, allowed_hosts)) {
    throw new DocumentRefusedError('document_host_not_allowed', {
      problem: 'its host and port are not in oauth.client_fetch.allowed_hosts',
      expected: allowed_hosts.join(', ') || 'no host is allowed',
      received: placeOf(url),
    });
  }
  return fetchMetadataDocument(url, {
    allowLoopback: allow_loopback && bindsToLoopback(boundHost ?? ''),
    takeFetch: () => store.metadataDocuments.admitFetch(clock.real()),
    ofClient: true,
    verifyTls: verify_tls,
  });
}
