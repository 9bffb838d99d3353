// How the response is sent: by query, by a posted form, or in the fragment, if the mode is offered (AUT-22, D12,
// CAM-03). Tokens are sent in the fragment or by a form only (SSO-53).

import type { Parameters } from '#shared/base/parameters.ts';
import type { ConfigurationSnapshot } from '#shared/model/configuration/configuration-snapshot.ts';
import type { ResponseMode } from '#shared/model/domain/authorization-request.ts';
import { offeredResponseModes } from '#shared/model/oauth-rules/offered-responses.ts';
import { authorizeRefusals } from '#shared/model/refusals/families/authorize.ts';
import { oauthError } from '#shared/model/refusals/oauth-error.ts';
import { askedResponseType, isImplicit } from './check-response-type.ts';

type Offering = Pick<ConfigurationSnapshot, 'settings'>;

export function checkResponseMode(query: Parameters, { settings }: Offering): ResponseMode {
  const offered = offeredResponseModes(settings);
  const withTokens = isImplicit(askedResponseType(query, { settings }));
  const responseMode = query.value('response_mode') ?? (withTokens ? 'fragment' : 'query');
  const mode = offered.find((one) => one === responseMode);
  if (mode === undefined) throw oauthError(authorizeRefusals.response_mode_not_supported, { offered });
  if (withTokens && mode === 'query') throw oauthError(authorizeRefusals.response_mode_not_for_implicit);
  return mode;
}

/**
 * The mode for errors found before this check: the requested one if it is offered, else query (AUT-22, AUT-23), or the
 * fragment for the implicit flow. A client that requests the fragment reads nothing else, so it gets errors there even
 * if the mode is not offered (CAM-04).
 */
export function modeForErrors(query: Parameters, { settings }: Offering): ResponseMode {
  const responseMode = query.value('response_mode');
  if (responseMode === 'fragment') return responseMode;
  const offered = settings.oauth.response_modes.find((mode) => mode === responseMode);
  if (!isImplicit(askedResponseType(query, { settings }))) return offered ?? 'query';
  return offered === 'form_post' ? offered : 'fragment';
}
