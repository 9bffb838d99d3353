// The fixed texts of /login?error=<code>. Text from an address is never shown, only the text of its code (LOG-04,
// WEB-20, WEB-21).
import { returnField } from '#shared/engine/exchange/return-path.ts';
import { loginRefusals } from '#shared/model/refusals/families/login.ts';
import type { LoginStep } from './login-step.ts';

/** The store has no space for another pending second factor. */
export const tooManyLogins = 'Too many logins are waiting for a code. Try again later.';

const texts = new Map([
  ['wrong_credentials', 'The username or password is wrong.'],
  ['unknown_user', 'This user does not exist. Choose another one.'],
  ['username_required', 'Enter your username.'],
  ['password_required', 'Enter your password.'],
  ['user_required', 'Choose a user.'],
  ['login_expired', 'The login expired. Start again.'],
  ['login_withdrawn', 'The login could not be completed because the user or the login settings changed. Start again.'],
  ['too_many_logins', tooManyLogins],
  ['login_required', 'Log in to see this page.'],
  ['management_locked', 'Reading needs no secret. To make changes, unlock writing with the management secret.'],
  ['wrong_management_secret', 'The management secret is wrong.'],
] as const);

type LoginErrorCode = typeof texts extends Map<infer Code, string> ? Code : never;

/** The text of a code from an address; undefined without a code, a general sentence for an unknown one. */
export function loginErrorText(code: string | undefined): string | undefined {
  if (code === undefined) return undefined;
  return new Map<string, string>(texts).get(code) ?? 'The login failed. Try again.';
}

/** The field that the text of a code belongs to. */
export function loginErrorField(code: string): 'username' | 'password' | undefined {
  if (code === 'username_required') return 'username';
  return code === 'password_required' ? 'password' : undefined;
}

/** With login.two_step these return to the second screen, as on the other surfaces. */
export function isAboutPassword(code: string): boolean {
  return code === 'wrong_credentials' || code === 'password_required';
}

/** The management secret is missing, not the login. */
export function isAboutManagement(code: string | undefined): boolean {
  return code === 'management_locked' || code === 'wrong_management_secret';
}

/** The typed management secret is wrong. */
export function isAboutManagementSecret(code: string): boolean {
  return code === 'wrong_management_secret';
}

/** The path that shows the text of a code; a login there continues to `returnTo`. */
export function loginErrorPath(code: LoginErrorCode, returnTo?: string): string {
  const query = new URLSearchParams({ error: code });
  if (returnTo !== undefined && returnTo !== '/') query.set(returnField, returnTo);
  return `/login?${query}`;
}

/** The code of a step that ends an attempt at /login, or undefined when another screen follows. */
export function loginErrorCode(step: LoginStep): LoginErrorCode | undefined {
  switch (step.step) {
    case 'ended':
      return step.cause === 'expired' ? 'login_expired' : 'login_withdrawn';
    case 'full':
      return 'too_many_logins';
    case 'first_factor':
      if (step.refused === undefined) return undefined;
      // A redirect would lose the typed input, so the page is shown again at once.
      if (step.typedClaims !== undefined || step.field === 'login_claims') return undefined;
      if (step.field !== undefined) return `${step.field}_required`;
      if (step.refused.refusal === loginRefusals.login_expired) return 'login_expired';
      if (step.screen !== 'persona') return 'wrong_credentials';
      return step.username === undefined ? 'user_required' : 'unknown_user';
    default:
      return undefined;
  }
}
