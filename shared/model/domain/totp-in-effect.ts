// Whether second factors are in effect. Logins, `amr` and discovery use this (LOG-07, CLM-26, DIS-08).
import type { Settings } from '#shared/model/configuration/settings.ts';

/** `login.totp` has no effect in persona mode. */
export function isTotpInEffect({ login }: { readonly login: Pick<Settings['login'], 'totp' | 'mode'> }): boolean {
  return login.totp && login.mode !== 'persona';
}
