// When the last token expires that a grant may have issued so far, with the current lifetimes. Records against such
// tokens are kept at least until then (TIM-22).
import { type Instant, plusSeconds } from '#shared/base/clock.ts';
import type { Client } from '#shared/model/configuration/client-entry.ts';
import type { Settings } from '#shared/model/configuration/settings.ts';
import { tokenLifetimes } from './token-lifetimes.ts';

/**
 * `client`: the one that got the tokens. Without it the lifetimes of the settings count. The store keeps revocations
 * longer than the longest lifetime that a client can have (`revocationMemorySeconds`).
 */
export function latestExpiry(settings: Pick<Settings, 'oauth'>, now: Instant, client?: Client): Instant {
  const { access, refresh } = tokenLifetimes(settings, client);
  return plusSeconds(now, Math.max(access, refresh));
}
