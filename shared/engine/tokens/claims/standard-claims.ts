// The standard claims of a person in OpenID Connect (OIDC Core §5.1, §5.4): the claims of the scopes, at /userinfo and,
// if configured, in the ID token (PCL-06 to PCL-08).
import type { User } from '#shared/model/configuration/user-entry.ts';
import { type ClaimScope, isStandardClaim, scopeOfStandardClaim } from '#shared/protocol/oidc/claim-names.ts';
import type { ClaimsInEffect } from './claims-in-effect.ts';

/** The claims that `unlocked` permits, in the order of UserInfo. */
export function standardClaimsOf(
  user: User,
  { standard }: ClaimsInEffect,
  unlocked: (scope: ClaimScope) => boolean,
): Record<string, unknown> {
  const claims: Record<string, unknown> = {};
  if (unlocked('email') && user.email !== '') {
    claims.email = user.email;
    claims.email_verified = standard.email_verified ?? true;
  }
  if (unlocked('profile')) claims.preferred_username = standard.preferred_username ?? user.username;
  for (const [name, value] of Object.entries(standard)) {
    if (name === 'email_verified' || !isStandardClaim(name) || !unlocked(scopeOfStandardClaim[name])) continue;
    claims[name] = value;
  }
  return claims;
}

/** One claim by its name, for any scope. undefined if the user has none. */
export function standardClaimOf(name: string, user: User, { standard }: ClaimsInEffect): unknown {
  switch (name) {
    case 'email':
      return user.email;
    case 'email_verified':
      return user.email === '' ? undefined : (standard.email_verified ?? true);
    case 'preferred_username':
      return standard.preferred_username ?? user.username;
    default:
      return standard[name];
  }
}
