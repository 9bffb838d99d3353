// The response of the implicit flow (OIDC Core §3.2, SSO-53). A login creates a code as for every request, so that
// pending requests, sessions and their participants are updated in the same steps. Here the code is redeemed
// immediately.

import type { Reply } from '#shared/engine/exchange/reply.ts';
import type { ProtocolContext } from '#shared/engine/exchange/request.ts';
import { findEffectiveUser } from '#shared/engine/identities/effective-identities.ts';
import { issueImplicitTokens } from '#shared/engine/tokens/issue-tokens.ts';
import { latestExpiry } from '#shared/engine/tokens/latest-expiry.ts';
import type { ResponseType } from '#shared/model/domain/authorization-request.ts';
import { familyOfTypedClaims } from '#shared/model/domain/typed-claims.ts';
import { tokensResponse } from './client-response.ts';
import { type LoginInProgress, unknownTransaction } from './find-login.ts';

export async function implicitResponse(
  code: string,
  type: Exclude<ResponseType, 'code'>,
  { client: { client } }: Pick<LoginInProgress, 'client'>,
  context: ProtocolContext,
): Promise<Reply> {
  const { store, clock, random, snapshot, issuer } = context;
  const now = clock.now();
  const record = (await store.codes.find(code, now))?.unused;
  const user = record && (await findEffectiveUser(snapshot, store, record.username))?.user;
  // The user was deleted between the login and this line.
  if (record === undefined || user === undefined) throw unknownTransaction();
  const { request, authenticatedAt, amr, acr, sid, claims: login } = record;
  const family = familyOfTypedClaims(random.token(), login);
  const session = sid === undefined ? undefined : { sid, issuer, mayBeOver: true };
  await store.codes.redeem(code, client.client_id, family, now, latestExpiry(snapshot.settings, now, client), {
    session,
    claims: login,
  });
  const { scope, resource, claims, nonce } = request;
  const authorization = {
    ...{ user, client, scope, resource, claims, login, nonce, family },
    ...{ authenticatedAt, amr, acr, sid, refresh: undefined },
  };
  const tokens = await issueImplicitTokens(authorization, type === 'id_token token', context);
  return tokensResponse({ ...tokens }, request, context);
}
