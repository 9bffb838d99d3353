// POST /revoke (RFC 7009, section REV). An authenticated client receives 200 whether or not a token was revoked. A
// token that is unknown, expired or another client's counts as revoked for it.

import { type Instant, instant } from '#shared/base/clock.ts';
import { readsNoCookie } from '#shared/engine/exchange/audience.ts';
import { type AuditNote, audited } from '#shared/engine/exchange/audited.ts';
import { empty } from '#shared/engine/exchange/reply.ts';
import type { ProtocolContext } from '#shared/engine/exchange/request.ts';
import type { Route } from '#shared/engine/exchange/route.ts';
import { latestExpiry } from '#shared/engine/tokens/latest-expiry.ts';
import { judgeToken, tokenFamilyOf } from '#shared/engine/tokens/verify-token.ts';
import { refuseDoubledParameters } from '#shared/model/oauth-rules/doubled-parameter.ts';
import { refuseNul } from '#shared/model/oauth-rules/nul-parameter.ts';
import { accessTokenRefusals } from '#shared/model/refusals/families/access-token.ts';
import { oauthError } from '#shared/model/refusals/oauth-error.ts';
import { RefusedError } from '#shared/model/refusals/refusal.ts';
import { singleParametersOf } from '#shared/model/secrets/known-parameters.ts';
import { authenticateClient } from './client-authentication/authenticate-client.ts';
import { claimedClientId } from './client-authentication/presented-credentials.ts';
import { partiesOf, problemOf, type TokenClaims, tokenUseOf } from './live-token.ts';
import { requireForm } from './require-form.ts';

const singleParameters = singleParametersOf('client', 'revoke');

const revokeEndpoint = audited(
  { event_type: 'revocation_request', endpoint: '/revoke' },
  async (request, context, note) => {
    note.add({ client_id: claimedClientId(request) });
    requireForm(request);
    refuseDoubledParameters(request.form, singleParameters);
    refuseNul(request.form);
    const { client } = await authenticateClient(request, context, 'revoke');
    note.add({ client_id: client.client_id });
    const token = request.form.value('token');
    try {
      await revoke(token, client.client_id, context, note);
      note.succeeded({ details: { revoked: true } });
    } catch (error) {
      // RFC 7009 §2.2 requires 200 for an invalid token. REV-01 requires it for tokens of other clients, too,
      // where RFC 7009 §2.1 would report an error.
      if (!(error instanceof RefusedError)) throw error;
      note.refused(error);
    }
    return empty(200);
  },
);

export const revokeRoutes: readonly Route[] = [
  {
    path: '/revoke',
    faultyAs: 'revoke',
    audience: 'protocol',
    overrides: readsNoCookie,
    methods: { POST: revokeEndpoint },
  },
];

/** @throws OAuthError when nothing was revoked. A token bound to no client may be revoked by any (REV-05). */
async function revoke(
  token: string | undefined,
  clientId: string,
  { keys, store, clock, snapshot }: ProtocolContext,
  note: AuditNote,
): Promise<void> {
  if (token === undefined) throw oauthError(accessTokenRefusals.token_missing);
  const now = clock.now();
  const judged = await judgeToken(token, { keys, now });
  if ('problem' in judged) throw problemOf(judged);
  const { claims } = judged;
  note.add({ username: partiesOf(claims).username });
  const bound = claims.client_id;
  if (bound !== undefined && bound !== null && bound !== clientId) {
    throw oauthError(accessTokenRefusals.token_of_another_client);
  }
  const use = tokenUseOf(judged);
  if (use === 'id') throw oauthError(accessTokenRefusals.id_token_not_revocable);
  if (use === 'refresh') {
    const family = tokenFamilyOf(claims);
    if (family === undefined) throw oauthError(accessTokenRefusals.refresh_token_without_family);
    const known = latestExpiry(snapshot.settings, now);
    const own = expiry(claims, now);
    await store.tokenState.revokeFamily(family, own > known ? own : known);
    return;
  }
  if (typeof claims.jti !== 'string') throw oauthError(accessTokenRefusals.token_without_jti);
  await store.tokenState.revokeAccessToken(claims.jti, expiry(claims, now));
}

function expiry(claims: TokenClaims, now: Instant): Instant {
  return typeof claims.exp === 'number' ? instant(claims.exp * 1000) : now;
}
