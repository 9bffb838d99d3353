// Endpoints that clients call by POST accept only a form (RFC 6749 §3.2, RFC 7009 §2.1, RFC 7662 §2.1, RFC 8628 §3.1).
// Another body would be read as empty: its introspection would return inactive, its revocation would succeed, and the
// sender would not notice.
import type { ParsedRequest } from '#shared/engine/exchange/request.ts';
import { tokenRefusals } from '#shared/model/refusals/families/token.ts';
import { oauthError } from '#shared/model/refusals/oauth-error.ts';

/** @throws OAuthError invalid_request for a body of another media type, or of none. */
export function requireForm({ mediaType, bodyLength }: Pick<ParsedRequest, 'mediaType' | 'bodyLength'>): void {
  if (mediaType === 'application/x-www-form-urlencoded' || (mediaType === undefined && bodyLength === 0)) return;
  throw oauthError(tokenRefusals.form_required);
}
