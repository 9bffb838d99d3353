// GET and POST /userinfo (OIDC Core §5.3, section UIN): what an access token may read of its user.
import { findEffectiveUser } from '#shared/domain/effective-identities.ts';
import { json, type Reply } from '#shared/http/reply.ts';
import { auditEvent, type Endpoint, type ParsedRequest, type RequestContext } from '#shared/http/request.ts';
import type { Route } from '#shared/http/route.ts';
import { bearerCredentials } from '#shared/protocol/oauth2/authorization-header.ts';
import { OAuthError } from '#shared/protocol/oauth2/oauth-error.ts';
import { findLiveToken, isClientsOwn, partiesOf, type TokenClaims } from './live-token.ts';
import { userinfoClaims } from './userinfo-claims.ts';

export const userinfoEndpoint: Endpoint = async (request, context) => {
  let claims: TokenClaims | undefined;
  try {
    const token = await findLiveToken(presentedToken(request), context);
    claims = token.claims;
    if (!token.live) throw invalidToken(token.reason);
    checkUse(token.claims, token.use, context);
    return await answer(await bodyFor(token.claims, context), token.claims, request, context);
  } catch (error) {
    if (error instanceof OAuthError) await recordRefusal(error, claims, request, context);
    throw error;
  }
};

export const userinfoRoutes: readonly Route[] = [
  {
    path: '/userinfo',
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
    throw new OAuthError('invalid_request', 'The access token was sent more than once; send it in one place only.', {
      // RFC 6750 §3: every refusal of a protected resource challenges.
      headers: { 'WWW-Authenticate': 'Bearer error="invalid_request"' },
    });
  }
  if (bearer.kind === 'malformed') throw invalidToken('The Authorization header holds no Bearer token');
  return bearer.kind === 'token' ? bearer.token : inForm;
}

/** Only an access token, and only one for this server's own audience (UIN-05, UIN-06). */
function checkUse(claims: TokenClaims, use: string, { snapshot }: RequestContext): void {
  if (use !== 'access') throw invalidToken(`The token is not an access token but a token of use ${use}`);
  const { aud } = claims;
  const { audience } = snapshot.settings.oauth;
  const meant = aud === audience || (Array.isArray(aud) && aud.includes(audience));
  if (!meant) throw invalidToken('The token was issued for another audience');
}

async function bodyFor(claims: TokenClaims, context: RequestContext): Promise<Record<string, unknown>> {
  const subject = typeof claims.sub === 'string' ? claims.sub : '';
  if (isClientsOwn(claims)) return { sub: subject };
  const found = await findEffectiveUser(context.snapshot, context.store, subject);
  return found === undefined ? { sub: subject } : userinfoClaims(found.user, claims, context.snapshot.rules);
}

async function answer(
  body: Record<string, unknown>,
  claims: TokenClaims,
  request: ParsedRequest,
  context: RequestContext,
): Promise<Reply> {
  await context.audit.record(
    auditEvent(request, context, {
      event_type: 'userinfo_request',
      endpoint: '/userinfo',
      status: 'success',
      ...partiesOf(claims),
    }),
  );
  return json(200, body);
}

/** One sentence for every bad token; the reason is for the audit. */
function invalidToken(reason: string): OAuthError {
  return new OAuthError(
    'invalid_token',
    'A valid, unexpired access token of this server is required as: Authorization: Bearer <token>.',
    { status: 401, headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' }, reason },
  );
}

async function recordRefusal(
  error: OAuthError,
  claims: TokenClaims | undefined,
  request: ParsedRequest,
  context: RequestContext,
): Promise<void> {
  const use = claims?.token_use;
  await context.audit.record(
    auditEvent(request, context, {
      event_type: 'userinfo_request',
      endpoint: '/userinfo',
      status: 'failed',
      ...partiesOf(claims),
      details: typeof use === 'string' ? { reason: error.reason, token_use: use } : { reason: error.reason },
    }),
  );
}
