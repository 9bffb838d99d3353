// How the answer travels: by query, by a posted form, or in the fragment, whichever of them are offered (AUT-22, D12, CAM-03).
import type { ConfigurationSnapshot } from '#shared/configuration/configuration-snapshot.ts';
import type { ResponseMode } from '#shared/domain/authorization-request.ts';
import type { Parameters } from '#shared/http/parameters.ts';
import { oauthError } from '#shared/protocol/oauth2/oauth-error.ts';
import { authorizeRefusals } from '#shared/refusals/families/authorize.ts';

type Offering = Pick<ConfigurationSnapshot, 'settings'>;

export function checkResponseMode(query: Parameters, { settings }: Offering): ResponseMode {
  const offered = settings.oauth.response_modes;
  const asked = query.value('response_mode') ?? 'query';
  const mode = offered.find((one) => one === asked);
  if (mode === undefined) throw oauthError(authorizeRefusals.response_mode_not_supported, { offered });
  return mode;
}

/**
 * The mode for errors found before this check: the asked one where it is offered, else query (AUT-22, AUT-23). Whoever asks
 * for the fragment reads nothing else, so an error goes there although it is not offered (CAM-04).
 */
export function modeForErrors(query: Parameters, { settings }: Offering): ResponseMode {
  const asked = query.value('response_mode');
  if (asked === 'fragment') return asked;
  return settings.oauth.response_modes.find((mode) => mode === asked) ?? 'query';
}
