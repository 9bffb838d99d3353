// Whom a login_hint logs in without a page, in persona mode with login.auto_login (AUT-30, LOG-08).

import type { Parameters } from '#shared/base/parameters.ts';
import type { ConfigurationSnapshot } from '#shared/model/configuration/configuration-snapshot.ts';

const prefix = 'persona-auto-login:';

/** The user that the hint asks to be logged in without a page, as it was typed, or undefined. */
export function autoLoginName(query: Parameters, { settings }: ConfigurationSnapshot): string | undefined {
  if (settings.login.mode !== 'persona' || !settings.login.auto_login) return undefined;
  const hint = query.value('login_hint');
  return hint?.startsWith(prefix) === true ? hint.slice(prefix.length) : undefined;
}
