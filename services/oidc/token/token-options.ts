// The parameters that every grant shares: `exp` and `extra` (TOK-07 to TOK-17). They are checked before any grant runs,
// so that a rejection consumes nothing.

import type { Parameters } from '#shared/base/parameters.ts';
import type { TokenOptions } from '#shared/engine/tokens/authorization.ts';
import { parseExtraClaims } from '#shared/engine/tokens/extra-claims.ts';
import { tokenLifetimeMinutes } from '#shared/model/configuration/settings/token-lifetimes.ts';
import { tokenRefusals } from '#shared/model/refusals/families/token.ts';
import { oauthError } from '#shared/model/refusals/oauth-error.ts';

const noOptions: TokenOptions = { lifetimeMinutes: undefined, extra: Object.freeze(Object.create(null)) };

/** @throws OAuthError invalid_request for `exp` first, then for `extra` (TOK-02). */
export function readTokenOptions(form: Parameters): TokenOptions {
  const exp = form.value('exp');
  const extra = form.value('extra');
  if (exp === undefined && extra === undefined) return noOptions;
  const lifetimeMinutes = exp === undefined ? undefined : readLifetime(exp);
  return { lifetimeMinutes, extra: extra === undefined ? noOptions.extra : parseExtraClaims(extra) };
}

function readLifetime(text: string): number {
  const minutes = /^[0-9]{1,9}$/.test(text) ? Number(text) : 0;
  const { least, most } = tokenLifetimeMinutes;
  if (minutes < least || minutes > most) {
    throw oauthError(tokenRefusals.lifetime_not_acceptable);
  }
  return minutes;
}
