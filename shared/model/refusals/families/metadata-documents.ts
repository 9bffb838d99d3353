// Why a client's metadata document was rejected (sections CMD and MDC). Responses never contain it: every such client is
// unknown. The log has it, and with `oauth.client_id_metadata_documents.show_reasons` the audit, the flow and the page.
import { declareOAuthRefusals } from '#shared/model/refusals/oauth-error.ts';
import { safeAddress } from '#shared/protocol/oauth2/descriptions.ts';
import { docs } from '../references.ts';

/** What the failed check compared. */
export interface DocumentFinding {
  /** The end of the sentence "the document cannot be used:", without a full stop. */
  readonly problem: string;
  readonly expected: string;
  readonly received: string;
}

/** `subject`: what "it" in the problem means. */
function document(expected: string, subject = 'The document') {
  return {
    error: 'invalid_client',
    answer: 'Unknown client_id',
    reason: ({ problem }: DocumentFinding) =>
      `${problem.replace(/^its /, `${subject}'s `).replace(/^it /, `${subject} `).replace(/^the /, 'The ')}.`,
    evidence: (found: DocumentFinding) => ({
      expected: safeAddress(found.expected),
      received: safeAddress(found.received),
    }),
    expected,
    standard: docs('settings.md#oauthclient_id_metadata_documents'),
  } as const;
}

export const metadataDocumentRefusals = declareOAuthRefusals({
  document_address_malformed: document(
    'An absolute https address with a path, and without userinfo, fragment and dot segments.',
    'The client_id',
  ),
  document_host_not_allowed: document(
    'A host and port in oauth.client_id_metadata_documents.allowed_hosts, or a loopback host with allow_loopback.',
  ),
  document_address_not_routable: document(
    'A host whose addresses are all globally routable, or loopback with allow_loopback on a server bound to loopback.',
  ),
  document_fetches_exhausted: document('At most 30 fetches a minute.'),
  document_fetch_too_slow: document('A complete response within 5 seconds.'),
  document_fetch_failed: document('A host that responds over TLS with a certificate that this machine trusts.'),
  document_status_wrong: document('Status 200, without a redirect.'),
  document_media_type_wrong: document('The media type application/json, or one that ends with +json.'),
  document_compressed: document('A body without Content-Encoding.'),
  document_not_cacheable: document('A response that may be cached, without no-store and no-cache.'),
  document_too_large: document('A body of at most 5 KiB.'),
  document_incomplete: document('A complete body.'),
  document_not_json: document('A JSON object in UTF-8.'),
  document_client_id_differs: document('A client_id that is exactly the address of the document.'),
  document_authentication_method_wrong: document('token_endpoint_auth_method none, or no such member.'),
});
