// Refreshing (RFC 6749 §6, RFC 9700 §4.14; section REF). All checks run before the token is claimed, so that a rejected
// request never uses it up (REF-07, REF-08, D35).

import type { ProtocolContext } from '#shared/engine/exchange/request.ts';
import { ofToken as factsOfToken } from '#shared/engine/faults/token-facts.ts';
import { findEffectiveUser } from '#shared/engine/identities/effective-identities.ts';
import { latestExpiry } from '#shared/engine/tokens/latest-expiry.ts';
import { judgeToken } from '#shared/engine/tokens/verify-token.ts';
import { isPublicClient } from '#shared/model/configuration/client-authentication.ts';
import { placeOfRefreshToken, successorOf } from '#shared/model/domain/refresh-family.ts';
import { isSameIdentity } from '#shared/model/domain/runtime-identity.ts';
import { namedResources, narrowResources } from '#shared/model/oauth-rules/resource.ts';
import { narrowScope } from '#shared/model/oauth-rules/scope.ts';
import { dpopRefusals } from '#shared/model/refusals/families/dpop.ts';
import { tokenRefusals } from '#shared/model/refusals/families/token.ts';
import { oauthError } from '#shared/model/refusals/oauth-error.ts';
import { aboutUser } from '#shared/model/refusals/refusal.ts';
import { lacksKey } from '../../dpop/prove-key.ts';
import { typedClaimsOf } from '../../typed-claims-of.ts';
import { type Grant, type GrantRequest, requiredParameter } from '../grant.ts';
import { type RefreshToken, readRefreshToken } from '../refresh-token-claims.ts';

export const refreshTokenGrant = {
  type: 'refresh_token',
  async authorize(request, context) {
    const { form, client, instanceId } = request;
    const token = await presentedToken(request, context);
    const { username, family } = token;
    const found = await findEffectiveUser(context.snapshot, context.store, username);
    if (found === undefined || !isSameIdentity(token.userInstance, found.instanceId)) {
      throw oauthError(tokenRefusals.refresh_token_user_gone, undefined, { username });
    }
    const login = await typedClaimsOf(family, context);
    if (login === 'gone') throw oauthError(tokenRefusals.refresh_token_claims_gone, undefined, { username });
    const { permitted, resource } = aboutUser(username, () => {
      return {
        permitted: narrowScope(form.value('scope'), token.scope, client, context.snapshot),
        resource: narrowResources(namedResources(form, context.snapshot.settings), token.resource, client),
      };
    });

    const rotate = isPublicClient(client) || context.snapshot.rules.rotateRefreshTokens;
    const known = latestExpiry(context.snapshot.settings, context.clock.now(), client);
    const expiresAt = token.expiresAt > known ? token.expiresAt : known;
    const place = placeOfRefreshToken(token.jti);
    const use = (rotates: boolean) =>
      context.store.tokenState.spendRefreshToken({ family, place, expiresAt, rotate: rotates });
    const kept = await context.outputHooks.keepsRefreshToken?.(async () => (await use(false)) === 'spent');
    const claim = kept === true ? 'spent' : await use(rotate);
    if (claim !== 'spent') throw oauthError(tokenRefusals[`refresh_token_${claim}`], undefined, { username });
    if (login !== undefined) await context.store.typedClaims.save({ name: family, claims: login }, expiresAt);
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
        claims: token.claims,
        login,
        authenticatedAt: token.authenticatedAt,
        amr: token.amr,
        acr: token.acr,
        sid: token.sid,
        nonce: undefined,
        family,
        refresh: { scope: token.scope, resource: token.resource, place: rotate ? successorOf(place) : undefined },
      },
    };
  },
  async readFacts(form) {
    const token = form.value('refresh_token');
    return { ...factsOfToken(token), refresh_token: token };
  },
} as const satisfies Grant;

/** A refresh token of this server, for its current audience, bound to the calling client (REF-02 to REF-05). */
async function presentedToken(request: GrantRequest, context: ProtocolContext): Promise<RefreshToken> {
  const { form, client, instanceId, provenKey } = request;
  const text = requiredParameter(form, 'refresh_token');
  const judged = await judgeToken(text, { keys: context.keys, now: context.clock.now() });
  if ('problem' in judged) throw oauthError(tokenRefusals[`refresh_token_${judged.problem}`]);
  const token = readRefreshToken(judged.claims, context.clock.now());
  if (typeof token === 'string') throw oauthError(tokenRefusals[token]);
  if (token.audience !== context.snapshot.settings.oauth.audience) {
    throw oauthError(tokenRefusals.refresh_token_of_another_audience);
  }
  if (token.clientId !== client.client_id) {
    const details = { bound_client: token.clientId };
    throw oauthError(tokenRefusals.refresh_token_of_another_client, undefined, { details });
  }
  // A client that was created under the name of the token's deleted client cannot use it (RUN-14).
  if (!isSameIdentity(token.clientInstance, instanceId)) {
    throw oauthError(tokenRefusals.refresh_token_of_another_client);
  }
  if (lacksKey(token.boundKey, provenKey, context)) {
    throw oauthError(dpopRefusals.refresh_token_bound_to_another_key, undefined, { username: token.username });
  }
  return token;
}
