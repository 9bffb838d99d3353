// Only the code flow (AUT-17).
import type { Parameters } from '#shared/http/parameters.ts';
import { oauthError } from '#shared/protocol/oauth2/oauth-error.ts';
import { authorizeRefusals } from '#shared/refusals/families/authorize.ts';

export function checkResponseType(query: Parameters): void {
  const type = query.value('response_type');
  if (type === undefined) throw oauthError(authorizeRefusals.response_type_missing);
  if (type !== 'code') throw oauthError(authorizeRefusals.response_type_not_supported, { sent: type });
}
