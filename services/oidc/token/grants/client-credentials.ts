// The client's own token (RFC 6749 §4.4, GRT-16 to GRT-18). The hot path: for a declared client nothing here asks the
// store.
import { isPublicClient } from '#shared/configuration/model/client-entry.ts';
import { oauthError } from '#shared/protocol/oauth2/oauth-error.ts';
import { checkResources, namedResources } from '#shared/protocol/oauth2/resource.ts';
import { resolveScope } from '#shared/protocol/oauth2/scope.ts';
import { tokenRefusals } from '#shared/refusals/families/token.ts';
import type { Grant } from '../grant.ts';

export const clientCredentialsGrant: Grant = {
  type: 'client_credentials',
  async authorize({ form, client }, context) {
    if (isPublicClient(client)) {
      throw oauthError(tokenRefusals.client_credentials_of_public_client);
    }
    const scope = resolveScope(form.value('scope'), 'none', client, context.snapshot);
    return {
      subject: 'client',
      authorization: {
        client,
        // There is no user whom an ID token could speak of (GRT-17).
        scope: scope.includes('openid') ? scope.filter((name) => name !== 'openid') : scope,
        resource: checkResources(namedResources(form, context.snapshot.settings), client),
      },
    };
  },
};
