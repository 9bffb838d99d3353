// Checks that the redirect URI is acceptable at all, and is one of the client's (AUT-12 to AUT-16). Before this check
// has passed, nothing is ever sent to it (AUT-07).

import type { Client } from '#shared/model/configuration/client-entry.ts';
import type { ConfigurationSnapshot } from '#shared/model/configuration/configuration-snapshot.ts';
import { acceptableRedirectUri, matchesRegisteredRedirectUri } from '#shared/model/oauth-rules/redirect-uri.ts';
import { authorizeRefusals } from '#shared/model/refusals/families/authorize.ts';
import { oauthError } from '#shared/model/refusals/oauth-error.ts';

export function checkRedirectUri(redirectUri: string, client: Client, snapshot: ConfigurationSnapshot): void {
  const problem = acceptableRedirectUri(redirectUri);
  if (problem !== undefined) {
    throw oauthError(authorizeRefusals.redirect_uri_not_acceptable, { problem, sent: redirectUri });
  }
  if (client.redirect_uris.length === 0) {
    if (!snapshot.rules.requireRegisteredRedirectUri) return;
    throw oauthError(authorizeRefusals.redirect_uris_not_registered);
  }
  if (client.redirect_uris.some((registered) => matchesRegisteredRedirectUri(redirectUri, registered))) return;
  throw oauthError(authorizeRefusals.redirect_uri_not_registered, { sent: redirectUri });
}
