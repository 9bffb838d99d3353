// Only the code flow (AUT-17).
import type { Parameters } from '#shared/http/parameters.ts';
import { OAuthError } from '#shared/protocol/oauth2/oauth-error.ts';

export function checkResponseType(query: Parameters): void {
  const type = query.value('response_type');
  if (type === undefined) throw new OAuthError('invalid_request', 'The parameter response_type is required.');
  if (type !== 'code') throw new OAuthError('unsupported_response_type', 'The response_type must be code.');
}
