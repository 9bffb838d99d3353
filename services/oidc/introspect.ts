// POST /introspect (RFC 7662, section INT): what a token says, to an authenticated confidential client.
import { documentReply } from '#shared/http/alterations.ts';
import { audited } from '#shared/http/pipeline/audited.ts';
import type { ParsedRequest, RequestContext } from '#shared/http/request.ts';
import type { Route } from '#shared/http/route.ts';
import { boundKeyOf } from '#shared/issuing/token-claims.ts';
import { refuseDoubledParameters } from '#shared/protocol/oauth2/doubled-parameter.ts';
import { oauthError } from '#shared/protocol/oauth2/oauth-error.ts';
import { accessTokenRefusals } from '#shared/refusals/families/access-token.ts';
import { detailsOf } from '#shared/refusals/refusal.ts';
import { authenticateClient } from './client-authentication/authenticate-client.ts';
import { clientParameters } from './client-authentication/methods.ts';
import { claimedClientId } from './client-authentication/presented-credentials.ts';
import { takesDpop } from './dpop/prove-key.ts';
import { findLiveToken, isClientsOwn, type LiveToken, partiesOf, type TokenClaims } from './live-token.ts';
import { requireForm } from './require-form.ts';

const singleParameters: ReadonlySet<string> = new Set(['token', 'token_type_hint', ...clientParameters]);

/** The members of an active answer that are the token's claims as they stand (INT-06). */
const reportedClaims = ['sub', 'client_id', 'scope', 'aud', 'iss', 'exp', 'iat', 'nbf', 'jti'] as const;

const introspectEndpoint = audited(
  { event_type: 'introspection_request', endpoint: '/introspect' },
  async (request, context, note) => {
    note.knows({ client_id: claimedClientId(request) });
    requireForm(request);
    refuseDoubledParameters(request.form, singleParameters);
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
      context.alterations,
    );
  },
);

export const introspectRoutes: readonly Route[] = [
  {
    path: '/introspect',
    faultyAs: 'introspect',
    surface: 'protocol',
    methods: { POST: introspectEndpoint },
    noStore: true,
  },
];

/** An ID token is no credential: it is never active (INT-02). */
async function introspectable(request: ParsedRequest, context: RequestContext): Promise<LiveToken> {
  const token = await findLiveToken(request.form.value('token'), context);
  return token.live && token.use === 'id'
    ? { live: false, refused: oauthError(accessTokenRefusals.id_token_introspected), claims: token.claims }
    : token;
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
