// What the `claims` parameter may add to an ID token or a UserInfo response (CLM-28, CLM-29, UIN-12): the contents of
// the user's entry, standard and free claims and any single attribute by their names, but never a protocol claim.
import type { User } from '#shared/model/configuration/user-entry.ts';
import { isProtocolClaim } from '#shared/protocol/oidc/claim-names.ts';
import { type ClaimsInEffect, isEmptyClaim } from './claims/claims-in-effect.ts';
import { standardClaimOf } from './claims/standard-claims.ts';

/** Claims of the user's entry that cannot be requested, like the claims of the protocol. */
const notRequestable: ReadonlySet<string> = new Set(['source_acl', 'authorities', 'attributes']);

/** The non-empty values that this person has for `names`, in the order requested. */
export function requestedClaimValues(
  names: readonly string[],
  user: User,
  claims: ClaimsInEffect,
): readonly (readonly [string, unknown])[] {
  return names.flatMap((name) => {
    const isFixed = isProtocolClaim(name) || notRequestable.has(name);
    const value = isFixed ? undefined : claimValue(name, user, claims);
    return isEmptyClaim(value) ? [] : [[name, value] as const];
  });
}

/** A claim overrides an attribute of the same name (PCL-09). */
function claimValue(name: string, user: User, claims: ClaimsInEffect): unknown {
  switch (name) {
    case 'roles':
    case 'groups':
    case 'tenant':
    case 'identity_class':
    case 'entitlements':
      return user[name];
    default:
      return standardClaimOf(name, user, claims) ?? claims.free[name] ?? attributeValue(name, user);
  }
}

function attributeValue(name: string, { attributes }: User): unknown {
  return Object.hasOwn(attributes, name) ? attributes[name] : undefined;
}
