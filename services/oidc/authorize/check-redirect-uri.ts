// The redirect URI is acceptable at all, and it is one of the client's (AUT-12 to AUT-16). Until this has passed nothing
// is ever sent to it (AUT-07).
import type { ConfigurationSnapshot } from '#shared/configuration/configuration-snapshot.ts';
import type { Client } from '#shared/configuration/model/client-entry.ts';
import { quotable } from '#shared/protocol/oauth2/descriptions.ts';
import { OAuthError } from '#shared/protocol/oauth2/oauth-error.ts';
import { acceptableRedirectUri, matchesRegisteredRedirectUri } from '#shared/protocol/oauth2/redirect-uri.ts';

export function checkRedirectUri(redirectUri: string, client: Client, snapshot: ConfigurationSnapshot): void {
  const problem = acceptableRedirectUri(redirectUri);
  if (problem !== undefined) throw new OAuthError('invalid_request', `The redirect_uri ${problem}.`);
  if (client.redirect_uris.length === 0) {
    if (!snapshot.rules.requireRegisteredRedirectUri) return;
    throw new OAuthError(
      'invalid_request',
      'This client has no registered redirect_uris, which the security profile oauth21 requires.',
    );
  }
  if (client.redirect_uris.some((registered) => matchesRegisteredRedirectUri(redirectUri, registered))) return;
  throw new OAuthError(
    'invalid_request',
    'The redirect_uri is not registered for this client; it must equal one of its redirect_uris character for character.',
    // Whoever looks for the difference wants to see what came.
    { reason: `The redirect_uri is not registered for this client: ${quotable(redirectUri)}` },
  );
}
