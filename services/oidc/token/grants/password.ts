// The resource owner's password (RFC 6749 §4.3, GRT-11 to GRT-15). It requires no second factor, and checks the
// password in persona mode too. oauth21 does not serve it (model/oauth-rules/grants.ts).

import { typedIn } from '#shared/engine/faults/typed-in.ts';
import { findEffectiveUser } from '#shared/engine/identities/effective-identities.ts';
import { checkPassword } from '#shared/engine/login/check-password.ts';
import { typedUsername } from '#shared/engine/login/typed-username.ts';
import { noRequestedClaims } from '#shared/model/domain/authorization-request.ts';
import { checkResources, namedResources } from '#shared/model/oauth-rules/resource.ts';
import { resolveScope } from '#shared/model/oauth-rules/scope.ts';
import { tokenRefusals } from '#shared/model/refusals/families/token.ts';
import { oauthError } from '#shared/model/refusals/oauth-error.ts';
import { aboutUser } from '#shared/model/refusals/refusal.ts';
import { type Grant, requiredParameter } from '../grant.ts';

export const passwordGrant = {
  type: 'password',
  async authorize({ form, client, instanceId }, context) {
    const typed = requiredParameter(form, 'username');
    const password = requiredParameter(form, 'password');
    const username = await typedUsername(typed, context);
    if (username === '') throw oauthError(tokenRefusals.username_blank);
    const found = await findEffectiveUser(context.snapshot, context.store, username);
    const matches = found !== undefined && (await checkPassword(found.user, password, context));
    if (found === undefined || !matches) {
      throw oauthError(tokenRefusals.resource_owner_credentials_wrong, undefined, { username });
    }
    const { permitted, resource } = aboutUser(username, () => ({
      permitted: resolveScope(form.value('scope'), 'restriction', client, context.snapshot),
      resource: checkResources(namedResources(form, context.snapshot.settings), client),
    }));
    const { granted: scope, ignored } = permitted;
    return {
      subject: 'user',
      ignored,
      authorization: {
        user: found.user,
        client,
        userInstance: found.instanceId,
        clientInstance: instanceId,
        scope,
        resource,
        claims: noRequestedClaims,
        authenticatedAt: context.clock.now(),
        amr: undefined,
        nonce: form.value('nonce'),
        family: context.random.token(),
        refresh: { scope, resource },
      },
    };
  },
  readFacts: async (form, context) => ({ username: await typedIn(form.value('username'), context) }),
} as const satisfies Grant;
