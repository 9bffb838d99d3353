// The one rule for claims that a caller wants added to an access token: `extra` adds, never changes (TOK-10 to TOK-17).
// It binds every caller that mints tokens; issue-tokens.ts asks it again for those that forgot.

import { holdsRoundedNumber, isMapping, isNestedDeeperThan, nestingMax } from '#shared/base/untrusted-values.ts';
import { tokenRefusals } from '#shared/model/refusals/families/token.ts';
import { oauthError } from '#shared/model/refusals/oauth-error.ts';
import { byCodePoint } from '#shared/protocol/oauth2/descriptions.ts';
import { isRefusedExtraClaim } from '#shared/protocol/oidc/claim-names.ts';

/** Those of `names` that `extra` may not set, in code-point order and each once. */
export function refusedExtraClaims(names: Iterable<string>): string[] {
  const refused = new Set<string>();
  for (const name of names) if (isRefusedExtraClaim(name)) refused.add(name);
  return [...refused].sort(byCodePoint);
}

/**
 * Checks a value that was parsed from `extra` or came as `extra_claims`.
 * @throws OAuthError invalid_request when it is no JSON object (TOK-11), names a refused claim (TOK-12), is nested absurdly
 * or holds a number that a token would not show as it was sent.
 */
export function checkExtraClaims(value: unknown): Record<string, unknown> {
  if (!isMapping(value)) {
    throw oauthError(tokenRefusals.extra_not_an_object);
  }
  const claims = Object.entries(value);
  // First: TOK-12 lists refused names whatever else could be said of the values.
  const refused = refusedExtraClaims(claims.map(([name]) => name));
  if (refused.length > 0) {
    throw oauthError(tokenRefusals.extra_names_reserved_claim, { names: refused });
  }
  // Writing it into a token would end in a fault after the grant was consumed.
  if (isNestedDeeperThan(nestingMax, value)) {
    throw oauthError(tokenRefusals.extra_too_deep, { levelsMax: nestingMax });
  }
  const rounded = claims.filter(([, claim]) => holdsRoundedNumber(claim)).map(([name]) => name);
  if (rounded.length > 0) throw oauthError(tokenRefusals.extra_number_rounded, { names: rounded });
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
