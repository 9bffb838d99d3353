// Which claim names are set by the server, by a user's entry, by OpenID Connect, or are free. Code that adds claims
// (`extra`, `claims:` of users, clients and logins, mappings) checks here which names it may use.

/** Claims that the server itself sets in a token (TOK-13). */
const ofTheServer = [
  ...['iss', 'sub', 'aud', 'exp', 'iat', 'nbf', 'jti'],
  ...['client_id', 'scope', 'token_use', 'azp', 'nonce', 'auth_time', 'amr', 'at_hash'],
  ...['token_type', 'rt_family', 'resource'],
] as const;

/** Claims that the fields of a user's entry set. A mapping may replace them (PCL-25). */
const ofTheEntry = [
  ...['roles', 'authorities', 'tenant', 'groups', 'entitlements', 'identity_class', 'source_acl', 'attributes'],
] as const;

/** Requested claims appear in tokens under this prefix. */
const requestedClaimsPrefix = 'req_';

const fromTheEntry: ReadonlySet<string> = new Set(ofTheEntry);
const reserved: ReadonlySet<string> = new Set([...ofTheServer, ...ofTheEntry, 'username']);

/** The scopes of OIDC Core §5.4. */
export type ClaimScope = 'profile' | 'email' | 'address' | 'phone';

/** The standard claims of OIDC Core §5.1 except `sub` and `email`, each with the scope that requests it (§5.4). */
export const scopeOfStandardClaim = {
  name: 'profile',
  given_name: 'profile',
  family_name: 'profile',
  middle_name: 'profile',
  nickname: 'profile',
  preferred_username: 'profile',
  profile: 'profile',
  picture: 'profile',
  website: 'profile',
  email_verified: 'email',
  gender: 'profile',
  birthdate: 'profile',
  zoneinfo: 'profile',
  locale: 'profile',
  phone_number: 'phone',
  phone_number_verified: 'phone',
  address: 'address',
  updated_at: 'profile',
} as const satisfies Readonly<Record<string, ClaimScope>>;

export type StandardClaim = keyof typeof scopeOfStandardClaim;

export function isStandardClaim(name: string): name is StandardClaim {
  return Object.hasOwn(scopeOfStandardClaim, name);
}

const protocolClaims: ReadonlySet<string> = new Set([...ofTheServer, 'acr', 'sid', 'c_hash']);

/** A claim that only the server sets: requesting it has no effect (CLM-29). */
export function isProtocolClaim(name: string): boolean {
  return protocolClaims.has(name) || name.startsWith(requestedClaimsPrefix);
}

/** TOK-13: only the server or the user's entry may set it. */
function isReservedClaim(name: string): boolean {
  return reserved.has(name) || name.startsWith(requestedClaimsPrefix);
}

/** TOK-13 and TOK-14: names that are not allowed in `extra`. */
export function isRefusedExtraClaim(name: string): boolean {
  return isReservedClaim(name) || name === 'email' || isStandardClaim(name);
}

const neverAnybodysOwn: ReadonlySet<string> = new Set([
  ...['', 'email', 'acr', 'sid', 'c_hash', 's_hash', 'events', 'act', 'cnf'],
]);

/** PCL-02: names that are not allowed in any `claims:`. Every other name is a standard claim or free. */
export function isRefusedClaim(name: string): boolean {
  return isReservedClaim(name) || neverAnybodysOwn.has(name);
}

/** PCL-25: names that a mapping may set. */
export function isMappableClaim(name: string): boolean {
  return fromTheEntry.has(name) || !isRefusedClaim(name);
}
