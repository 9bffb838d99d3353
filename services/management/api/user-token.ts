// POST /api/users/{username}/token: a token for a user without a login, for tests (RST-05 to RST-09). With a client the
// token is bound to it and a refresh token comes along, except for a client known by a metadata document. `extra`, `scope`
// and `resource` are those of the token endpoint (PKG-27).
import * as z from 'zod';
import type { ConfigurationSnapshot } from '#shared/configuration/configuration-snapshot.ts';
import { textsOrText } from '#shared/configuration/model/kinds.ts';
import { tokenLifetimeMinutes } from '#shared/configuration/model/oauth-settings.ts';
import type { User } from '#shared/configuration/model/user-entry.ts';
import { noRequestedClaims } from '#shared/domain/authorization-request.ts';
import { type EffectiveClient, findEffectiveClient } from '#shared/domain/effective-identities.ts';
import { parseJsonBody } from '#shared/http/json-body.ts';
import { json, type Reply } from '#shared/http/reply.ts';
import { auditEvent, type ParsedRequest, type RequestContext } from '#shared/http/request.ts';
import { ApiError, type Route } from '#shared/http/route.ts';
import { authoritiesOf } from '#shared/issuing/authorities.ts';
import type { TokenOptions, TokenSet } from '#shared/issuing/authorization.ts';
import { checkExtraClaims } from '#shared/issuing/extra-claims.ts';
import { issueUserTokens } from '#shared/issuing/issue-tokens.ts';
import { OAuthError } from '#shared/protocol/oauth2/oauth-error.ts';
import { checkResources } from '#shared/protocol/oauth2/resource.ts';
import { resolveScope } from '#shared/protocol/oauth2/scope.ts';
import { requireEffectiveUser } from './users.ts';

export const userTokenRoutes: readonly Route[] = [
  { path: '/api/users/:username/token', surface: 'api', methods: { POST: makeUserToken }, noStore: true },
];

const { least, most } = tokenLifetimeMinutes;

const bodyModel = z.object({
  exp_minutes: z.number().int().min(least).max(most).nullish(),
  client_id: z.string().nullish(),
  extra: z.record(z.string(), z.unknown()).nullish(),
  scope: z.string().nullish(),
  resource: textsOrText().nullish(),
});

type Body = z.output<typeof bodyModel>;

async function makeUserToken(request: ParsedRequest, context: RequestContext): Promise<Reply> {
  try {
    const { user } = await requireEffectiveUser(request, context);
    const body = parseBody(request);
    const client = await requireClient(body, context);
    const tokens = await issueTestToken(user, client, optionsOf(body, client, context), context);
    await recordSuccess(request, context, { user, client, minutes: tokens.expires_in / 60 });
    return json(200, tokens);
  } catch (error) {
    const refusal = error instanceof OAuthError ? new ApiError(400, error.message, { kind: error.error }) : error;
    if (refusal instanceof ApiError) await recordRefusal(request, context, refusal);
    throw refusal;
  }
}

function parseBody(request: ParsedRequest): Body {
  const value = parseJsonBody(request);
  if (value === undefined) return {};
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ApiError(400, 'The request body must be a JSON object whose members are options of the token.');
  }
  const parsed = bodyModel.safeParse(value);
  if (parsed.success) return parsed.data;
  const named = parsed.error.issues[0]?.path[0];
  throw new ApiError(400, sentences.get(String(named)) ?? 'The request body cannot be used.');
}

const sentences: ReadonlyMap<string, string> = new Map([
  ['exp_minutes', `exp_minutes must be an integer from ${least} to ${most}.`],
  ['client_id', 'client_id must be a text.'],
  ['extra', 'extra must be a JSON object whose members are the claims to add.'],
  ['scope', 'scope must be a text: names separated by spaces.'],
  ['resource', 'resource must be a text or a list of texts.'],
]);

async function requireClient(body: Body, context: RequestContext): Promise<EffectiveClient | undefined> {
  if (body.client_id === undefined || body.client_id === null) return undefined;
  const { snapshot, store, clock } = context;
  const found = await findEffectiveClient(snapshot, store, body.client_id, clock.now());
  if (found === undefined) throw new ApiError(400, 'client_id names no client.');
  return found;
}

/** @throws OAuthError */
function optionsOf(body: Body, client: EffectiveClient | undefined, context: RequestContext): TestTokenOptions {
  const restriction = client?.client ?? { scopes: [], allowed_resources: [] };
  return {
    lifetimeMinutes: body.exp_minutes ?? undefined,
    extra: checkExtraClaims(body.extra ?? {}),
    scope: resolveScope(body.scope ?? undefined, 'none', restriction, context.snapshot),
    resource: checkResources(body.resource ?? [], restriction),
  };
}

export interface TestTokenOptions {
  readonly lifetimeMinutes?: number | undefined;
  readonly extra?: TokenOptions['extra'];
  readonly scope?: readonly string[];
  readonly resource?: readonly string[];
}

/** Without a scope the answer has no scope and no ID token (RST-05). */
export async function issueTestToken(
  user: User,
  client: EffectiveClient | undefined,
  { lifetimeMinutes, extra = {}, scope = [], resource = [] }: TestTokenOptions,
  context: Pick<RequestContext, 'snapshot' | 'issuer' | 'signer' | 'clock' | 'random'>,
): Promise<TokenSet> {
  const spendable = client !== undefined && client.origin !== 'cimd';
  return await issueUserTokens(
    {
      user,
      client: client?.client,
      scope,
      resource,
      claims: noRequestedClaims,
      authenticatedAt: context.clock.now(),
      amr: undefined,
      nonce: undefined,
      family: context.random.token(),
      refresh: spendable ? { scope, resource } : undefined,
    },
    { lifetimeMinutes, extra },
    context,
  );
}

async function recordSuccess(
  request: ParsedRequest,
  context: RequestContext,
  issued: { user: User; client: EffectiveClient | undefined; minutes: number },
): Promise<void> {
  const { user, client, minutes } = issued;
  await context.audit.record(
    auditEvent(request, context, {
      event_type: 'token_request',
      username: user.username,
      client_id: client?.client.client_id,
      endpoint: request.path,
      status: 'success',
      details: { exp_minutes: minutes, authorities_count: authoritiesCount(user, context.snapshot) },
    }),
  );
}

function authoritiesCount(user: User, snapshot: ConfigurationSnapshot): number {
  return authoritiesOf(user, snapshot.settings.authority_prefixes).length;
}

async function recordRefusal(request: ParsedRequest, context: RequestContext, refusal: ApiError): Promise<void> {
  await context.audit.record(
    auditEvent(request, context, {
      event_type: 'token_request',
      username: request.pathParameters.username,
      endpoint: request.path,
      status: 'failed',
      details: { reason: refusal.message },
    }),
  );
}
