// When the last token expires that a grant may have issued so far, with the current lifetimes. Records against such
// tokens are kept at least until then (TIM-22).
import { type Instant, plusSeconds } from '#shared/base/clock.ts';
import type { Settings } from '#shared/model/configuration/settings.ts';

export function latestExpiry({ oauth }: Pick<Settings, 'oauth'>, now: Instant): Instant {
  return plusSeconds(now, Math.max(oauth.token_expiry_minutes, oauth.refresh_token_expiry_minutes) * 60);
}
