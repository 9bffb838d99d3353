// POST /introspect (RFC 7662, section INT): the content of a token, for an authenticated confidential client.

import { readsNoCookie } from '#shared/engine/exchange/audience.ts';
import { audited } from '#shared/engine/exchange/audited.ts';
import { documentReply } from '#shared/engine/exchange/output-hooks.ts';
import type { ParsedRequest, ProtocolContext } from '#shared/engine/exchange/request.ts';
import type { Route } from '#shared/engine/exchange/route.ts';
import { findEffectiveClient, findEffectiveUser } from '#shared/engine/identities/effective-identities.ts';
import { boundKeyOf, clientInstanceClaim, userInstanceClaim } from '#shared/engine/tokens/token-claims.ts';
import { isSameIdentity } from '#shared/model/domain/runtime-identity.ts';
import { refuseDoubledParameters } from '#shared/model/oauth-rules/doubled-parameter.ts';
import { refuseNul } from '#shared/model/oauth-rules/nul-parameter.ts';
import { accessTokenRefusals } from '#shared/model/refusals/families/access-token.ts';
import { tokenRefusals } from '#shared/model/refusals/families/token.ts';
import { type OAuthError, oauthError } from '#shared/model/refusals/oauth-error.ts';
import { detailsOf } from '#shared/model/refusals/refusal.ts';
import { singleParametersOf } from '#shared/model/secrets/known-parameters.ts';
import { authenticateClient } from './client-authentication/authenticate-client.ts';
import { claimedClientId } from './client-authentication/presented-credentials.ts';
import { takesDpop } from './dpop/prove-key.ts';
import { findLiveToken, isClientsOwn, type LiveToken, partiesOf, type TokenClaims } from './live-token.ts';
import { requireForm } from './require-form.ts';

const singleParameters = singleParametersOf('client', 'introspect');

/** The members of an active response that are the token's claims unchanged (INT-06). */
const reportedClaims = ['sub', 'client_id', 'scope', 'aud', 'iss', 'exp', 'iat', 'nbf', 'jti'] as const;

const introspectEndpoint = audited(
  { event_type: 'introspection_request', endpoint: '/introspect' },
  async (request, context, note) => {
    note.add({ client_id: claimedClientId(request) });
    requireForm(request);
    refuseDoubledParameters(request.form, singleParameters);
    refuseNul(request.form);
    const caller = await authenticateClient(request, context, 'introspect');
    const token = await introspectable(request, context);
    note.succeeded({
      client_id: caller.client.client_id,
      username: partiesOf(token.claims).username,
      details: token.live ? { active: true } : { active: false, ...detailsOf(token.refused) },
    });
    return documentReply(
      200,
      token.live ? activeBody(token.claims, takesDpop(context)) : { active: false },
      context.outputHooks,
    );
  },
);

export const introspectRoutes: readonly Route[] = [
  {
    path: '/introspect',
    faultyAs: 'introspect',
    audience: 'protocol',
    overrides: readsNoCookie,
    methods: { POST: introspectEndpoint },
    noStore: true,
  },
];

/** An ID token is not a credential: it is never active (INT-02). */
async function introspectable(request: ParsedRequest, context: ProtocolContext): Promise<LiveToken> {
  const token = await findLiveToken(request.form.value('token'), context);
  if (!token.live || token.use === 'access') return token;
  const { use, claims } = token;
  if (use === 'id') return { live: false, refused: oauthError(accessTokenRefusals.id_token_introspected), claims };
  const refused = await missingParty(claims, context);
  return refused === undefined ? token : { live: false, refused, claims };
}

/**
 * A refresh token only serves refreshing, which ends when its user or client is deleted (RUN-16). Access tokens remain
 * active. A client_id that starts with https:// counts as existing even if it is unknown: perhaps only its metadata
 * document is no longer cached.
 */
async function missingParty(
  { sub, client_id: clientId, ...claims }: TokenClaims,
  { snapshot, store, clock }: ProtocolContext,
): Promise<OAuthError | undefined> {
  const user = typeof sub === 'string' ? await findEffectiveUser(snapshot, store, sub) : undefined;
  if (user === undefined || !isSameIdentity(instanceIn(claims[userInstanceClaim]), user.instanceId)) {
    return oauthError(tokenRefusals.refresh_token_user_gone);
  }
  if (typeof clientId !== 'string') return undefined;
  const client = await findEffectiveClient(snapshot, store, clientId, clock.now());
  const isThere =
    client === undefined
      ? clientId.startsWith('https://')
      : isSameIdentity(instanceIn(claims[clientInstanceClaim]), client.instanceId);
  return isThere ? undefined : oauthError(accessTokenRefusals.refresh_token_client_gone);
}

function instanceIn(claim: unknown): string | undefined {
  return typeof claim === 'string' ? claim : undefined;
}

function activeBody(claims: TokenClaims, withKey: boolean): Record<string, unknown> {
  const isBound = withKey && boundKeyOf(claims) !== undefined;
  const body: Record<string, unknown> = { active: true, token_type: isBound ? 'DPoP' : 'Bearer' };
  for (const name of reportedClaims) if (claims[name] !== undefined) body[name] = claims[name];
  // RFC 9449 §6.2.
  if (isBound) body.cnf = claims.cnf;
  if (typeof claims.sub === 'string' && !isClientsOwn(claims)) body.username = claims.sub;
  return body;
}
