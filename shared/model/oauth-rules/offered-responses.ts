// What /authorize offers under the settings: response types and response modes (CAM-03, SSO-53).
import type { Settings } from '#shared/model/configuration/settings.ts';
import type { ResponseMode } from '#shared/model/domain/authorization-request.ts';

type Offering = Pick<Settings, 'oauth'>;

export function offersImplicit({ oauth }: Offering): boolean {
  return oauth.response_types.some((type) => type !== 'code');
}

/** The implicit flow returns tokens in the fragment, so it adds that mode. */
export function offeredResponseModes(settings: Offering): readonly ResponseMode[] {
  return [...new Set([...settings.oauth.response_modes, ...(offersImplicit(settings) ? (['fragment'] as const) : [])])];
}
