// The endpoints that clients call by POST take a form and nothing else (RFC 6749 §3.2, RFC 7009 §2.1, RFC 7662 §2.1,
// RFC 8628 §3.1). Another body would be read as if nothing had been sent: an introspection of it is inactive, a
// revocation of it succeeds, and its sender learns nothing.
import type { ParsedRequest } from '#shared/engine/exchange/request.ts';
import { tokenRefusals } from '#shared/model/refusals/families/token.ts';
import { oauthError } from '#shared/model/refusals/oauth-error.ts';

/** @throws OAuthError invalid_request for a body of another media type, or of none. */
export function requireForm({ mediaType, bodyLength }: Pick<ParsedRequest, 'mediaType' | 'bodyLength'>): void {
  if (mediaType === 'application/x-www-form-urlencoded' || (mediaType === undefined && bodyLength === 0)) return;
  throw oauthError(tokenRefusals.form_required);
}
