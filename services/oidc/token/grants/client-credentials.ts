// The client's own token (RFC 6749 §4.4, GRT-16 to GRT-18). The hot path: for a declared client it makes no store
// query.
import { isPublicClient } from '#shared/model/configuration/client-authentication.ts';
import { checkResources, namedResources } from '#shared/model/oauth-rules/resource.ts';
import { resolveScope } from '#shared/model/oauth-rules/scope.ts';
import { tokenRefusals } from '#shared/model/refusals/families/token.ts';
import { oauthError } from '#shared/model/refusals/oauth-error.ts';
import type { Grant } from '../grant.ts';

export const clientCredentialsGrant = {
  type: 'client_credentials',
  async authorize({ form, client }, context) {
    if (isPublicClient(client)) {
      throw oauthError(tokenRefusals.client_credentials_of_public_client);
    }
    const { granted: scope, ignored } = resolveScope(form.value('scope'), 'none', client, context.snapshot);
    return {
      subject: 'client',
      ignored,
      authorization: {
        client,
        // An ID token would have no user (GRT-17).
        scope: scope.includes('openid') ? scope.filter((name) => name !== 'openid') : scope,
        resource: checkResources(namedResources(form, context.snapshot.settings), client),
      },
    };
  },
} as const satisfies Grant;
