// Checks that the redirect URI is acceptable at all, and is one of the client's (AUT-12 to AUT-16). Before this check
// has passed, nothing is ever sent to it (AUT-07).

import type { Client } from '#shared/model/configuration/client-entry.ts';
import type { ConfigurationSnapshot } from '#shared/model/configuration/configuration-snapshot.ts';
import type { RedirectUriLeniency } from '#shared/model/domain/exchange.ts';
import { matchRedirectUri, registeredForLogin } from '#shared/model/oauth-rules/match-redirect-uri.ts';
import { authorizeRefusals } from '#shared/model/refusals/families/authorize.ts';
import { oauthError } from '#shared/model/refusals/oauth-error.ts';
import { acceptableRedirectUri } from '#shared/protocol/oauth2/acceptable-redirect-uri.ts';
import { isSchemeWithoutPeriod } from '#shared/protocol/oauth2/redirect-uri-schemes.ts';

/** Returns why only `dev` accepts it (SHV-01). Empty: every profile does. */
export function checkRedirectUri(
  redirectUri: string,
  client: Client,
  { rules }: Pick<ConfigurationSnapshot, 'rules'>,
): readonly RedirectUriLeniency[] {
  const problem = acceptableRedirectUri(redirectUri, rules);
  if (problem !== undefined) {
    throw oauthError(authorizeRefusals.redirect_uri_not_acceptable, { problem, sent: redirectUri });
  }
  const byScheme = isSchemeWithoutPeriod(redirectUri) ? (['scheme_without_period'] as const) : [];
  const registered = registeredForLogin(client);
  if (registered.uris.length === 0) {
    if (rules.requireRegisteredRedirectUri) throw oauthError(authorizeRefusals.redirect_uris_not_registered);
    if (registered.patterns.length === 0) return byScheme;
  }
  const match = matchRedirectUri(redirectUri, registered, rules);
  if (match.how === 'none') {
    throw oauthError(authorizeRefusals.redirect_uri_not_registered, { sent: redirectUri, ...match });
  }
  return match.how === 'localhost_port' || match.how === 'pattern' ? [match.how, ...byScheme] : byScheme;
}
