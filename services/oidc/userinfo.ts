// GET and POST /userinfo (OIDC Core §5.3, section UIN): what an access token may read of its user.
import { findEffectiveClient, findEffectiveUser } from '#shared/domain/effective-identities.ts';
import { documentReply } from '#shared/http/alterations.ts';
import { audited } from '#shared/http/pipeline/audited.ts';
import type { ParsedRequest, RequestContext } from '#shared/http/request.ts';
import type { Route } from '#shared/http/route.ts';
import { userinfoClaims } from '#shared/issuing/userinfo-claims.ts';
import { bearerCredentials } from '#shared/protocol/oauth2/authorization-header.ts';
import { quotable } from '#shared/protocol/oauth2/descriptions.ts';
import { oauthError } from '#shared/protocol/oauth2/oauth-error.ts';
import { accessTokenRefusals } from '#shared/refusals/families/access-token.ts';
import { findLiveToken, isClientsOwn, partiesOf, type TokenClaims } from './live-token.ts';

export const userinfoEndpoint = audited(
  { event_type: 'userinfo_request', endpoint: '/userinfo' },
  async (request, context, note) => {
    const token = await findLiveToken(presentedToken(request), context);
    const { claims } = token;
    note.knows(partiesOf(claims));
    if (typeof claims?.token_use === 'string') note.tellsIfRefused({ token_use: claims.token_use });
    if (!token.live) throw token.refused;
    checkUse(token.claims, token.use, context);
    const body = await bodyFor(token.claims, context);
    note.succeeded();
    return documentReply(200, body, context.alterations);
  },
);

export const userinfoRoutes: readonly Route[] = [
  {
    path: '/userinfo',
    faultyAs: 'userinfo',
    surface: 'protocol',
    methods: { GET: userinfoEndpoint, POST: userinfoEndpoint },
    noStore: true,
  },
];

/** The header, or on POST the form field; both at once is no request (UIN-03). */
function presentedToken({ method, headers, form }: ParsedRequest): string | undefined {
  const bearer = bearerCredentials(headers.authorization);
  const inForm = method === 'POST' ? form.value('access_token') : undefined;
  if (form.count('access_token') > 1 || (bearer.kind !== 'absent' && inForm !== undefined)) {
    throw oauthError(accessTokenRefusals.access_token_repeated);
  }
  if (bearer.kind === 'malformed') throw oauthError(accessTokenRefusals.bearer_header_malformed);
  return bearer.kind === 'token' ? bearer.token : inForm;
}

/** Only an access token, and only one for this server's own audience (UIN-05, UIN-06). */
function checkUse(claims: TokenClaims, use: string, { snapshot }: RequestContext): void {
  if (use !== 'access') throw oauthError(accessTokenRefusals.token_not_an_access_token, { use });
  const { aud } = claims;
  const { audience } = snapshot.settings.oauth;
  const meant = aud === audience || (Array.isArray(aud) && aud.includes(audience));
  if (meant) return;
  const sent = quotable(typeof aud === 'string' ? aud : JSON.stringify(aud ?? null));
  throw oauthError(accessTokenRefusals.token_of_another_audience, { sent, expected: quotable(audience) });
}

async function bodyFor(claims: TokenClaims, context: RequestContext): Promise<Record<string, unknown>> {
  const { snapshot, store, clock } = context;
  const sub = typeof claims.sub === 'string' ? claims.sub : '';
  if (isClientsOwn(claims)) return { sub };
  const found = await findEffectiveUser(snapshot, store, sub);
  if (found === undefined) return { sub };
  const { client_id: clientId } = claims;
  const client =
    typeof clientId === 'string' ? await findEffectiveClient(snapshot, store, clientId, clock.now()) : undefined;
  return userinfoClaims({ user: found.user, client: client?.client }, claims, snapshot);
}
