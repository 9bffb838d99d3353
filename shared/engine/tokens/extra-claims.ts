// The only rule for claims that a caller adds to an access token: `extra` adds, never changes (TOK-10 to TOK-17). It
// applies to every caller that issues tokens. issue-tokens.ts checks it again for callers that did not.

import { holdsRoundedNumber, isMapping, isNestedDeeperThan, nestingMax } from '#shared/base/untrusted-values.ts';
import { tokenRefusals } from '#shared/model/refusals/families/token.ts';
import { oauthError } from '#shared/model/refusals/oauth-error.ts';
import { byCodePoint } from '#shared/protocol/oauth2/descriptions.ts';
import { isRefusedExtraClaim } from '#shared/protocol/oidc/claim-names.ts';

/** The names that `extra` may not set, in code-point order without duplicates. */
export function refusedExtraClaims(names: Iterable<string>): string[] {
  const refused = new Set<string>();
  for (const name of names) if (isRefusedExtraClaim(name)) refused.add(name);
  return [...refused].sort(byCodePoint);
}

/**
 * Checks a value that was parsed from `extra` or came as `extra_claims`.
 * @throws OAuthError invalid_request when it is no JSON object (TOK-11), names a refused claim (TOK-12), is nested too
 * deeply or holds a number that a token would not show as it was sent.
 */
export function checkExtraClaims(value: unknown): Record<string, unknown> {
  if (!isMapping(value)) {
    throw oauthError(tokenRefusals.extra_not_an_object);
  }
  const claims = Object.entries(value);
  // First, because TOK-12 lists rejected names even if the values have other errors.
  const refused = refusedExtraClaims(claims.map(([name]) => name));
  if (refused.length > 0) {
    throw oauthError(tokenRefusals.extra_names_reserved_claim, { names: refused });
  }
  // Otherwise writing it into a token would fail after the grant was consumed.
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
