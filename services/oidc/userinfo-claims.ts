// The body of a UserInfo answer from the user's entry, the token's scope and the requested claims (UIN-08 to UIN-12).
// Pure; whether the token may ask at all is judged before.

import type { User } from '#shared/configuration/model/user-entry.ts';
import type { ProfileRules } from '#shared/configuration/profile-rules.ts';
import { isEmptyClaim, requestedClaimValues } from '#shared/issuing/requested-claims.ts';
import { requestedUserinfoClaim } from '#shared/issuing/token-claims.ts';
import { parseScope } from '#shared/protocol/oauth2/scope.ts';

export function userinfoClaims(
  user: User,
  token: Readonly<Record<string, unknown>>,
  rules: Pick<ProfileRules, 'gateUserInfoByScope'>,
): Record<string, unknown> {
  const scope = typeof token.scope === 'string' ? parseScope(token.scope) : [];
  const unlocked = (name: string) => !rules.gateUserInfoByScope || scope.includes(name);
  const body: Record<string, unknown> = { sub: user.username };
  if (unlocked('email') && user.email !== '') Object.assign(body, { email: user.email, email_verified: true });
  if (unlocked('profile')) body.preferred_username = user.username;
  body.roles = user.roles;
  body.tenant = user.tenant;
  for (const name of ['groups', 'identity_class', 'attributes'] as const) {
    if (!isEmptyClaim(user[name])) body[name] = user[name];
  }
  for (const [name, value] of requestedClaimValues(requestedNames(token), user)) {
    // Own and new only: a name such as `__proto__` stays data, and nothing already said is changed (UIN-12).
    if (!Object.hasOwn(body, name)) Object.defineProperty(body, name, { value, enumerable: true });
  }
  return body;
}

function requestedNames(token: Readonly<Record<string, unknown>>): readonly string[] {
  const names = token[requestedUserinfoClaim];
  return Array.isArray(names) ? names.filter((name): name is string => typeof name === 'string') : [];
}
