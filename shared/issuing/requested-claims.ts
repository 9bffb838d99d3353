// What the `claims` parameter may bring into an ID token or a UserInfo answer (CLM-28, CLM-29, UIN-12): a fixed list of
// the user's own claims and any single attribute by its name; never a claim of the protocol.
import type { User } from '#shared/configuration/model/user-entry.ts';

/** Claims that the server itself answers for; asking for them, or naming an attribute after them, changes nothing. */
const protocolClaims: ReadonlySet<string> = new Set([
  ...['iss', 'sub', 'aud', 'azp', 'exp', 'iat', 'nbf', 'jti', 'nonce', 'auth_time', 'amr', 'acr', 'at_hash', 'c_hash'],
  ...['sid', 'client_id', 'scope', 'token_use', 'token_type', 'rt_family', 'resource'],
  ...['source_acl', 'authorities', 'attributes'],
]);

/** The values of those of `names` that this user has and that are not empty, in the order asked for. */
export function requestedClaimValues(names: readonly string[], user: User): readonly (readonly [string, unknown])[] {
  return names.flatMap((name) => {
    const value = protocolClaims.has(name) || name.startsWith('req_') ? undefined : claimValue(name, user);
    return isEmptyClaim(value) ? [] : [[name, value] as const];
  });
}

function claimValue(name: string, user: User): unknown {
  switch (name) {
    case 'email':
    case 'roles':
    case 'groups':
    case 'tenant':
    case 'identity_class':
    case 'entitlements':
      return user[name];
    case 'email_verified':
      return user.email === '' ? undefined : true;
    case 'preferred_username':
      return user.username;
    default:
      return Object.hasOwn(user.attributes, name) ? user.attributes[name] : undefined;
  }
}

/** Nothing, the empty text, an empty list or an empty object; false and 0 are values. */
export function isEmptyClaim(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
