// The body of a UserInfo response, from a person's entry and claims, the token's scope and the requested claims (UIN-08
// to UIN-12, PCL-06, PCL-10). Pure. Whether the token is accepted is checked before.

import type { ConfigurationSnapshot } from '#shared/model/configuration/configuration-snapshot.ts';
import { userOfLogin } from '#shared/model/configuration/login-claims.ts';
import type { User } from '#shared/model/configuration/user-entry.ts';
import { parseScope } from '#shared/model/oauth-rules/scope.ts';
import { type ClaimSubject, claimsInEffect, isEmptyClaim } from './claims/claims-in-effect.ts';
import { mapClaims } from './claims/map-claims.ts';
import { standardClaimsOf } from './claims/standard-claims.ts';
import { requestedClaimValues } from './requested-claims.ts';
import { addNew, requestedUserinfoClaim } from './token-claims.ts';

export function userinfoClaims(
  { client, login, ...who }: ClaimSubject & { readonly user: User },
  token: Readonly<Record<string, unknown>>,
  { rules, settings }: Pick<ConfigurationSnapshot, 'rules' | 'settings'>,
): Record<string, unknown> {
  const user = userOfLogin({ user: who.user, login });
  const subject = { user, client, login };
  const scope = typeof token.scope === 'string' ? parseScope(token.scope) : [];
  const claims = claimsInEffect(subject);
  const unlocked = (name: string) => !rules.gateUserInfoByScope || scope.includes(name);
  const body: Record<string, unknown> = { sub: user.username, ...standardClaimsOf(user, claims, unlocked) };
  body.roles = user.roles;
  body.tenant = user.tenant;
  for (const name of ['groups', 'identity_class', 'attributes'] as const) {
    if (!isEmptyClaim(user[name])) body[name] = user[name];
  }
  const further = [...Object.entries(claims.free), ...requestedClaimValues(requestedNames(token), user, claims)];
  for (const [name, value] of further) addNew(body, name, value);
  const clientId = typeof token.client_id === 'string' ? token.client_id : undefined;
  mapClaims(body, { place: 'userinfo', subject, claims, clientId, scope }, settings);
  return body;
}

function requestedNames(token: Readonly<Record<string, unknown>>): readonly string[] {
  const names = token[requestedUserinfoClaim];
  return Array.isArray(names) ? names.filter((name): name is string => typeof name === 'string') : [];
}
