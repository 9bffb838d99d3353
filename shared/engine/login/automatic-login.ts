// Logins without a page: by a login_hint in persona mode with login.auto_login (AUT-30, LOG-08), and of every request
// with login.auto_login_user (LIN-01 to LIN-04).
import type { Parameters } from '#shared/base/parameters.ts';
import type { ProtocolContext } from '#shared/engine/exchange/request.ts';
import { findEffectiveUser } from '#shared/engine/identities/effective-identities.ts';
import type { ConfigurationSnapshot } from '#shared/model/configuration/configuration-snapshot.ts';
import type { CompletedLogin } from './login-step.ts';
import { typedUsername } from './typed-username.ts';

const hintPrefix = 'persona-auto-login:';

type Identities = Pick<ProtocolContext, 'snapshot' | 'store'>;

export interface AutomaticLogin {
  /** As it was typed in a hint, so that it may be no user's. */
  readonly name: string;
  /** `setting`: the user exists, and prompt, max_age, ForceAuthn and IsPassive count as satisfied (LIN-03). */
  readonly by: 'hint' | 'setting';
}

/** undefined: a page is needed. */
export async function automaticLogin(query: Parameters, context: Identities): Promise<AutomaticLogin | undefined> {
  const hinted = nameInHint(query, context.snapshot);
  if (hinted !== undefined) return { name: hinted, by: 'hint' };
  const name = await automaticUser(query.value('login_hint'), context);
  return name === undefined ? undefined : { name, by: 'setting' };
}

/** The user of login.auto_login_user, or another one that the hint names (LIN-02). undefined: none that exists. */
export async function automaticUser(loginHint: string | undefined, context: Identities): Promise<string | undefined> {
  const configured = context.snapshot.settings.login.auto_login_user;
  if (configured === undefined) return undefined;
  const hinted = loginHint === undefined ? undefined : await typedUsername(loginHint, context);
  if (hinted !== undefined && (await exists(hinted, context))) return hinted;
  return (await exists(configured, context)) ? configured : undefined;
}

/** Why the page of a login appears although login.auto_login_user is set (LIN-04). undefined: it is not set. */
export async function missingAutomaticUser(context: Identities): Promise<string | undefined> {
  const configured = context.snapshot.settings.login.auto_login_user;
  if (configured === undefined || (await exists(configured, context))) return undefined;
  return automaticUserMissing(configured);
}

export function automaticUserMissing(username: string): string {
  return `The user ${JSON.stringify(username)} of login.auto_login_user does not exist.`;
}

export function completedAutomatically(username: string, { clock }: Pick<ProtocolContext, 'clock'>): CompletedLogin {
  return { username, method: 'persona', authenticatedAt: clock.now(), amr: undefined };
}

async function exists(username: string, { snapshot, store }: Identities): Promise<boolean> {
  return (await findEffectiveUser(snapshot, store, username)) !== undefined;
}

function nameInHint(query: Parameters, { settings }: ConfigurationSnapshot): string | undefined {
  if (settings.login.mode !== 'persona' || !settings.login.auto_login) return undefined;
  const hint = query.value('login_hint');
  return hint?.startsWith(hintPrefix) === true ? hint.slice(hintPrefix.length) : undefined;
}
