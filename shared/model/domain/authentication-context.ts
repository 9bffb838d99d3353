// Authentication context classes: the `acr` of a login, and which requested value can be reached (SSO-29 to SSO-34).
import { authenticationMethods } from '#shared/model/configuration/settings/login.ts';
import type { Settings } from '#shared/model/configuration/settings.ts';
import type { AskedAcr, AuthenticationMethod } from './authorization-request.ts';
import { isTotpInEffect } from './totp-in-effect.ts';

type LoginSettings = Pick<Settings, 'login'>;

function isAtLeast(method: AuthenticationMethod, requested: AuthenticationMethod): boolean {
  return authenticationMethods.indexOf(method) >= authenticationMethods.indexOf(requested);
}

/** The `acr` value of this method. undefined: `login.acr` has no value for it. */
export function acrOf(method: AuthenticationMethod, { login }: LoginSettings): string | undefined {
  return login.acr.find((each) => each.method === method)?.value;
}

/** The strongest login that the settings allow for this user, or for any user. */
export function strongestMethod(settings: LoginSettings, user?: { readonly totp_secret?: string | undefined }) {
  if (settings.login.mode === 'persona') return 'persona';
  const hasCode = user === undefined || user.totp_secret !== undefined;
  return isTotpInEffect(settings) && hasCode ? 'password+totp' : 'password';
}

/** The values that discovery lists. No login can reach more (SSO-30). */
export function acrValuesSupported(settings: LoginSettings): readonly string[] {
  const strongest = strongestMethod(settings);
  const reachable = settings.login.mode === 'persona' ? ['persona'] : authenticationMethods.slice(1);
  return settings.login.acr
    .filter(({ method }) => reachable.includes(method) && isAtLeast(strongest, method))
    .map(({ value }) => value);
}

type AcrVerdict =
  /** `acr`: the value in the token. */
  | { readonly verdict: 'satisfied'; readonly acr: string | undefined }
  /** The login was weaker than what the user can reach. */
  | { readonly verdict: 'step_up'; readonly method: AuthenticationMethod }
  | { readonly verdict: 'unmet' };

/** The first requested value that the user can reach counts. */
export function judgeAcr(
  requested: AskedAcr | undefined,
  present: { readonly method: AuthenticationMethod; readonly acr: string | undefined },
  strongest: AuthenticationMethod,
  { login }: LoginSettings,
): AcrVerdict {
  for (const value of requested?.values ?? []) {
    const method = login.acr.find((each) => each.value === value)?.method;
    if (method === undefined) continue;
    if (isAtLeast(present.method, method)) return { verdict: 'satisfied', acr: value };
    if (isAtLeast(strongest, method)) return { verdict: 'step_up', method };
  }
  return requested?.essential === true ? { verdict: 'unmet' } : { verdict: 'satisfied', acr: present.acr };
}
