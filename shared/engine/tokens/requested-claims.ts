// What the `claims` parameter may add to an ID token or a UserInfo response (CLM-28, CLM-29, UIN-12): the contents of
// the user's entry, standard and free claims and any single attribute by their names, but never a protocol claim.
import type { User } from '#shared/model/configuration/user-entry.ts';
import { type ClaimsInEffect, isEmptyClaim } from './claims/claims-in-effect.ts';
import { standardClaimOf } from './claims/standard-claims.ts';

/** Claims that only the server sets. Requesting them, or an attribute with such a name, has no effect. */
const protocolClaims: ReadonlySet<string> = new Set([
  ...['iss', 'sub', 'aud', 'azp', 'exp', 'iat', 'nbf', 'jti', 'nonce', 'auth_time', 'amr', 'acr', 'at_hash', 'c_hash'],
  ...['sid', 'client_id', 'scope', 'token_use', 'token_type', 'rt_family', 'resource'],
  ...['source_acl', 'authorities', 'attributes'],
]);

/** The non-empty values that this person has for `names`, in the order requested. */
export function requestedClaimValues(
  names: readonly string[],
  user: User,
  claims: ClaimsInEffect,
): readonly (readonly [string, unknown])[] {
  return names.flatMap((name) => {
    const value = protocolClaims.has(name) || name.startsWith('req_') ? undefined : claimValue(name, user, claims);
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
