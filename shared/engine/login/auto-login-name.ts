// The user that a login_hint logs in without a page, in persona mode with login.auto_login (AUT-30, LOG-08).

import type { Parameters } from '#shared/base/parameters.ts';
import type { ConfigurationSnapshot } from '#shared/model/configuration/configuration-snapshot.ts';

const prefix = 'persona-auto-login:';

/** The user of the hint, exactly as it was typed, or undefined when a page is needed. */
export function autoLoginName(query: Parameters, { settings }: ConfigurationSnapshot): string | undefined {
  if (settings.login.mode !== 'persona' || !settings.login.auto_login) return undefined;
  const hint = query.value('login_hint');
  return hint?.startsWith(prefix) === true ? hint.slice(prefix.length) : undefined;
}
