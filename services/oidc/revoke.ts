// POST /revoke (RFC 7009, section REV). Whatever became of the token, an authenticated client hears 200: a token that is
// unknown, expired or somebody else's is as good as revoked to it.
import { type Instant, instant } from '#shared/clock.ts';
import { empty } from '#shared/http/reply.ts';
import { auditEvent, type Endpoint, type ParsedRequest, type RequestContext } from '#shared/http/request.ts';
import type { Route } from '#shared/http/route.ts';
import { latestExpiry } from '#shared/issuing/latest-expiry.ts';
import { tokenFamilyOf, verifyToken } from '#shared/issuing/verify-token.ts';
import { refuseDoubledParameters } from '#shared/protocol/oauth2/doubled-parameter.ts';
import { OAuthError } from '#shared/protocol/oauth2/oauth-error.ts';
import { partiesOf, type TokenClaims, tokenUseOf } from './live-token.ts';
import { requireForm } from './require-form.ts';
import { authenticateClient, claimedClientId } from './token/client-authentication.ts';

const singleParameters: ReadonlySet<string> = new Set(['token', 'token_type_hint', 'client_id', 'client_secret']);

export const revokeEndpoint: Endpoint = async (request, context) => {
  try {
    requireForm(request);
    refuseDoubledParameters(request.form, singleParameters);
    const { client } = await authenticateClient(request, context, 'revoke');
    const claims = await verifiedClaims(request.form.value('token'), context);
    const reason = await revoke(claims, client.client_id, context);
    await record(request, context, reason, client.client_id, claims);
    return empty(200);
  } catch (error) {
    if (error instanceof OAuthError) await record(request, context, error.reason, claimedClientId(request));
    throw error;
  }
};

export const revokeRoutes: readonly Route[] = [
  { path: '/revoke', surface: 'protocol', methods: { POST: revokeEndpoint } },
];

async function verifiedClaims(token: string | undefined, context: RequestContext): Promise<TokenClaims | undefined> {
  if (token === undefined) return undefined;
  return (await verifyToken(token, { keys: context.keys, now: context.clock.now() }))?.claims;
}

/** Revokes what can be revoked; answers why nothing was. A token bound to no client may be revoked by any (REV-05). */
async function revoke(
  claims: TokenClaims | undefined,
  clientId: string,
  { store, clock, snapshot }: RequestContext,
): Promise<string | undefined> {
  if (claims === undefined) return 'The token is missing, malformed, expired or not signed by this server';
  const bound = claims.client_id;
  if (bound !== undefined && bound !== null && bound !== clientId) return 'The token was issued to another client';
  const now = clock.now();
  const use = tokenUseOf(claims);
  if (use === 'id') return 'An ID token cannot be revoked';
  if (use === 'refresh') {
    const family = tokenFamilyOf(claims);
    if (family === undefined) return 'The refresh token has no family';
    const known = latestExpiry(snapshot.settings, now);
    const own = expiry(claims, now);
    await store.tokenState.revokeFamily(family, own > known ? own : known);
    return undefined;
  }
  if (typeof claims.jti !== 'string') return 'The token has no jti';
  await store.tokenState.revokeAccessToken(claims.jti, expiry(claims, now));
  return undefined;
}

function expiry(claims: TokenClaims, now: Instant): Instant {
  return typeof claims.exp === 'number' ? instant(claims.exp * 1000) : now;
}

async function record(
  request: ParsedRequest,
  context: RequestContext,
  reason: string | undefined,
  clientId: string | undefined,
  claims?: TokenClaims,
): Promise<void> {
  await context.audit.record(
    auditEvent(request, context, {
      event_type: 'revocation_request',
      endpoint: '/revoke',
      status: reason === undefined ? 'success' : 'failed',
      client_id: clientId,
      username: partiesOf(claims).username,
      details: reason === undefined ? { revoked: true } : { reason },
    }),
  );
}
