// Authentication context classes: what `acr` says of a login, and which value of a request can be had (SSO-29 to SSO-34).
import { authenticationMethods } from '#shared/model/configuration/settings/login.ts';
import type { Settings } from '#shared/model/configuration/settings.ts';
import type { AskedAcr, AuthenticationMethod } from './authorization-request.ts';
import { isTotpInEffect } from './totp-in-effect.ts';

type LoginSettings = Pick<Settings, 'login'>;

function isAtLeast(method: AuthenticationMethod, wanted: AuthenticationMethod): boolean {
  return authenticationMethods.indexOf(method) >= authenticationMethods.indexOf(wanted);
}

/** What a login by this method is called; undefined: `login.acr` has no value for it. */
export function acrOf(method: AuthenticationMethod, { login }: LoginSettings): string | undefined {
  return login.acr.find((each) => each.method === method)?.value;
}

/** The strongest login that the present settings can lead this user to, or anybody. */
export function strongestMethod(settings: LoginSettings, user?: { readonly totp_secret?: string | undefined }) {
  if (settings.login.mode === 'persona') return 'persona';
  const hasCode = user === undefined || user.totp_secret !== undefined;
  return isTotpInEffect(settings) && hasCode ? 'password+totp' : 'password';
}

/** What discovery lists: nobody can get more (SSO-30). */
export function acrValuesSupported(settings: LoginSettings): readonly string[] {
  const strongest = strongestMethod(settings);
  const reachable = settings.login.mode === 'persona' ? ['persona'] : authenticationMethods.slice(1);
  return settings.login.acr
    .filter(({ method }) => reachable.includes(method) && isAtLeast(strongest, method))
    .map(({ value }) => value);
}

type AcrVerdict =
  /** `acr`: what the token says. */
  | { readonly verdict: 'satisfied'; readonly acr: string | undefined }
  /** The login was weaker than what the user can have. */
  | { readonly verdict: 'step_up'; readonly method: AuthenticationMethod }
  | { readonly verdict: 'unmet' };

/** The first of the values asked for that the user can reach counts. */
export function judgeAcr(
  asked: AskedAcr | undefined,
  present: { readonly method: AuthenticationMethod; readonly acr: string | undefined },
  strongest: AuthenticationMethod,
  { login }: LoginSettings,
): AcrVerdict {
  for (const value of asked?.values ?? []) {
    const method = login.acr.find((each) => each.value === value)?.method;
    if (method === undefined) continue;
    if (isAtLeast(present.method, method)) return { verdict: 'satisfied', acr: value };
    if (isAtLeast(strongest, method)) return { verdict: 'step_up', method };
  }
  return asked?.essential === true ? { verdict: 'unmet' } : { verdict: 'satisfied', acr: present.acr };
}
