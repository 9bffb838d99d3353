// POST /introspect (RFC 7662, section INT): what a token says, to an authenticated confidential client.
import { json, type Reply } from '#shared/http/reply.ts';
import { auditEvent, type Endpoint, type ParsedRequest, type RequestContext } from '#shared/http/request.ts';
import type { Route } from '#shared/http/route.ts';
import { refuseDoubledParameters } from '#shared/protocol/oauth2/doubled-parameter.ts';
import { OAuthError } from '#shared/protocol/oauth2/oauth-error.ts';
import { findLiveToken, isClientsOwn, type LiveToken, partiesOf, type TokenClaims } from './live-token.ts';
import { requireForm } from './require-form.ts';
import { authenticateClient, claimedClientId } from './token/client-authentication.ts';

const singleParameters: ReadonlySet<string> = new Set(['token', 'token_type_hint', 'client_id', 'client_secret']);

/** The members of an active answer that are the token's claims as they stand (INT-06). */
const reportedClaims = ['sub', 'client_id', 'scope', 'aud', 'iss', 'exp', 'iat', 'nbf', 'jti'] as const;

export const introspectEndpoint: Endpoint = async (request, context) => {
  try {
    requireForm(request);
    refuseDoubledParameters(request.form, singleParameters);
    const caller = await authenticateClient(request, context, 'introspect');
    const token = await introspectable(request, context);
    return await answer(token, caller.client.client_id, request, context);
  } catch (error) {
    if (error instanceof OAuthError) await recordRefusal(error, request, context);
    throw error;
  }
};

export const introspectRoutes: readonly Route[] = [
  { path: '/introspect', surface: 'protocol', methods: { POST: introspectEndpoint }, noStore: true },
];

/** An ID token is no credential: it is never active (INT-02). */
async function introspectable(request: ParsedRequest, context: RequestContext): Promise<LiveToken> {
  const token = await findLiveToken(request.form.value('token'), context);
  return token.live && token.use === 'id'
    ? { live: false, reason: 'The token is an ID token', claims: token.claims }
    : token;
}

async function answer(
  token: LiveToken,
  callerId: string,
  request: ParsedRequest,
  context: RequestContext,
): Promise<Reply> {
  await context.audit.record(
    auditEvent(request, context, {
      event_type: 'introspection_request',
      endpoint: '/introspect',
      status: 'success',
      client_id: callerId,
      username: partiesOf(token.claims).username,
      details: token.live ? { active: true } : { active: false, reason: token.reason },
    }),
  );
  return json(200, token.live ? activeBody(token.claims) : { active: false });
}

function activeBody(claims: TokenClaims): Record<string, unknown> {
  const body: Record<string, unknown> = { active: true, token_type: 'Bearer' };
  for (const name of reportedClaims) if (claims[name] !== undefined) body[name] = claims[name];
  if (typeof claims.sub === 'string' && !isClientsOwn(claims)) body.username = claims.sub;
  return body;
}

async function recordRefusal(error: OAuthError, request: ParsedRequest, context: RequestContext): Promise<void> {
  await context.audit.record(
    auditEvent(request, context, {
      event_type: 'introspection_request',
      endpoint: '/introspect',
      status: 'failed',
      client_id: claimedClientId(request),
      details: { reason: error.reason },
    }),
  );
}
