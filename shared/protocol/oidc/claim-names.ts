// Which names of claims belong to whom: to the server, to a user's entry, to OpenID Connect, or to nobody yet. Whoever
// adds claims (`extra`, `claims:` of users, clients and logins, mappings) asks here what it may name.

/** What the server itself says in a token (TOK-13). */
const ofTheServer = [
  ...['iss', 'sub', 'aud', 'exp', 'iat', 'nbf', 'jti'],
  ...['client_id', 'scope', 'token_use', 'azp', 'nonce', 'auth_time', 'amr', 'at_hash'],
  ...['token_type', 'rt_family', 'resource'],
] as const;

/** What the fields of a user's entry say, which a mapping may say otherwise (PCL-25). */
const ofTheEntry = [
  ...['roles', 'authorities', 'tenant', 'groups', 'entitlements', 'identity_class', 'source_acl', 'attributes'],
] as const;

/** Names of requested claims travel in tokens under this prefix. */
const requestedClaimsPrefix = 'req_';

const fromTheEntry: ReadonlySet<string> = new Set(ofTheEntry);
const reserved: ReadonlySet<string> = new Set([...ofTheServer, ...ofTheEntry, 'username']);

/** The scopes of OIDC Core §5.4. */
export type ClaimScope = 'profile' | 'email' | 'address' | 'phone';

/** The standard claims of OIDC Core §5.1 but `sub` and `email`, each with the scope that asks for it (§5.4). */
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

/** TOK-13: said by the server or the user's entry, and by nobody else. */
function isReservedClaim(name: string): boolean {
  return reserved.has(name) || name.startsWith(requestedClaimsPrefix);
}

/** TOK-13 and TOK-14: what `extra` may not name. */
export function isRefusedExtraClaim(name: string): boolean {
  return isReservedClaim(name) || name === 'email' || isStandardClaim(name);
}

const neverAnybodysOwn: ReadonlySet<string> = new Set([
  ...['', 'email', 'acr', 'sid', 'c_hash', 's_hash', 'events', 'act', 'cnf'],
]);

/** PCL-02: what no `claims:` may name. What remains is a standard claim or a free one. */
export function isRefusedClaim(name: string): boolean {
  return isReservedClaim(name) || neverAnybodysOwn.has(name);
}

/** PCL-25: what a mapping may make. */
export function isMappableClaim(name: string): boolean {
  return fromTheEntry.has(name) || !isRefusedClaim(name);
}
