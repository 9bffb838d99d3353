// When the last of the tokens that a grant may have brought so far is over, with the lifetimes of now: whatever is
// remembered against them is remembered until then at least (TIM-22).
import { type Instant, plusSeconds } from '#shared/base/clock.ts';
import type { Settings } from '#shared/model/configuration/settings.ts';

export function latestExpiry({ oauth }: Pick<Settings, 'oauth'>, now: Instant): Instant {
  return plusSeconds(now, Math.max(oauth.token_expiry_minutes, oauth.refresh_token_expiry_minutes) * 60);
}
