// How the answer travels: by query or by a posted form (AUT-22, D12).
import type { ResponseMode } from '#shared/domain/authorization-request.ts';
import type { Parameters } from '#shared/http/parameters.ts';
import { oauthError } from '#shared/protocol/oauth2/oauth-error.ts';
import { authorizeRefusals } from '#shared/refusals/families/authorize.ts';

export function checkResponseMode(query: Parameters): ResponseMode {
  const mode = query.value('response_mode') ?? 'query';
  if (mode === 'query' || mode === 'form_post') return mode;
  throw oauthError(authorizeRefusals.response_mode_not_supported);
}

/** The mode for errors found before this check: the asked one where it exists, else query (AUT-22, AUT-23). */
export function modeForErrors(query: Parameters): ResponseMode {
  return query.value('response_mode') === 'form_post' ? 'form_post' : 'query';
}
