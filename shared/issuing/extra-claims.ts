// The one rule for claims that a caller wants added to an access token: `extra` adds, never changes (TOK-10 to TOK-17).
// It binds every caller that mints tokens; issue-tokens.ts asks it again for those that forgot.
import { holdsRoundedNumber, isNestedDeeperThan, nestingMax } from '#shared/nesting.ts';
import { byCodePoint } from '#shared/protocol/oauth2/descriptions.ts';
import { oauthError } from '#shared/protocol/oauth2/oauth-error.ts';
import { tokenRefusals } from '#shared/refusals/families/token.ts';

const refusedNames: ReadonlySet<string> = new Set([
  // What the server itself says in a token.
  ...['iss', 'sub', 'aud', 'exp', 'iat', 'nbf', 'jti'],
  ...['client_id', 'scope', 'token_use', 'azp', 'nonce', 'auth_time', 'amr', 'at_hash'],
  ...['token_type', 'rt_family', 'resource'],
  // What the user's entry says.
  ...['roles', 'authorities', 'tenant', 'groups', 'entitlements', 'identity_class', 'source_acl', 'attributes'],
  'username',
  // The standard claims of OpenID Connect Core 1.0 §5.1 (`sub` is above).
  ...['name', 'given_name', 'family_name', 'middle_name', 'nickname', 'preferred_username', 'profile', 'picture'],
  ...['website', 'email', 'email_verified', 'gender', 'birthdate', 'zoneinfo', 'locale', 'phone_number'],
  ...['phone_number_verified', 'address', 'updated_at'],
]);

/** Names of requested claims travel in tokens under this prefix. */
const requestedClaimsPrefix = 'req_';

/** Those of `names` that `extra` may not set, in code-point order and each once. */
export function refusedExtraClaims(names: Iterable<string>): string[] {
  const refused = new Set<string>();
  for (const name of names) {
    if (refusedNames.has(name) || name.startsWith(requestedClaimsPrefix)) refused.add(name);
  }
  return [...refused].sort(byCodePoint);
}

/**
 * Checks a value that was parsed from `extra` or came as `extra_claims`.
 * @throws OAuthError invalid_request when it is no JSON object (TOK-11), is nested absurdly or names a refused claim
 * (TOK-12).
 */
export function checkExtraClaims(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw oauthError(tokenRefusals.extra_not_an_object);
  }
  // Writing it into a token would end in a fault after the grant was consumed.
  if (isNestedDeeperThan(nestingMax, value)) {
    throw oauthError(tokenRefusals.extra_too_deep, { levelsMax: nestingMax });
  }
  const claims = Object.entries(value);
  const rounded = claims.filter(([, claim]) => holdsRoundedNumber(claim)).map(([name]) => name);
  if (rounded.length > 0) throw oauthError(tokenRefusals.extra_number_rounded, { names: rounded });
  const refused = refusedExtraClaims(claims.map(([name]) => name));
  if (refused.length > 0) {
    throw oauthError(tokenRefusals.extra_names_reserved_claim, { names: refused });
  }
  return Object.fromEntries(claims);
}

/** The same for the text of a form parameter. */
export function parseExtraClaims(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  return checkExtraClaims(value);
}
