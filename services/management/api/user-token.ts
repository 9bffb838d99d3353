// POST /api/users/{username}/token: a token for a user without a login, for tests (RST-05 to RST-09). With a client the
// token is bound to it. The response then has a refresh token too, except for a client known by a metadata document.
// POST /api/clients/{client_id}/token: a token of the client itself. `extra`, `scope` and `resource` are those of the
// token endpoint (PKG-27).

import * as z from 'zod';
import { isMapping } from '#shared/base/untrusted-values.ts';
import { audited } from '#shared/engine/exchange/audited.ts';
import { parseJsonBody } from '#shared/engine/exchange/json-body.ts';
import { json } from '#shared/engine/exchange/reply.ts';
import type { ParsedRequest, ProtocolContext } from '#shared/engine/exchange/request.ts';
import { ApiError, apiError, type Route } from '#shared/engine/exchange/route.ts';
import { type EffectiveClient, findEffectiveClient } from '#shared/engine/identities/effective-identities.ts';
import { authoritiesOf } from '#shared/engine/tokens/authorities.ts';
import {
  changedClaimNames,
  claimChangeFields,
  readClaimChanges,
  type TestTokenChanges,
} from '#shared/engine/tokens/claim-changes.ts';
import { checkExtraClaims } from '#shared/engine/tokens/extra-claims.ts';
import { issueClientToken } from '#shared/engine/tokens/issue-tokens.ts';
import { isTestTokenLifetime } from '#shared/model/configuration/settings/token-lifetimes.ts';
import { textsOrText } from '#shared/model/configuration/value-kinds.ts';
import { checkResources } from '#shared/model/oauth-rules/resource.ts';
import { ignoredScopes, resolveScope } from '#shared/model/oauth-rules/scope.ts';
import type { ApiRefusalRow } from '#shared/model/refusals/api-refusal.ts';
import { managementRefusals } from '#shared/model/refusals/families/management.ts';
import { OAuthError } from '#shared/model/refusals/oauth-error.ts';
import type { Refusal } from '#shared/model/refusals/refusal.ts';
import { issueTestToken } from '../issue-test-token.ts';
import { requireDeclaredNames } from '../strict-request.ts';
import { requireEffectiveUser } from './users.ts';

/** The end of the year 9999. */
const notBeforeMax = 253_402_300_799;

const { set_claims, remove_claims, audience, id_token } = claimChangeFields;

function orNull<Model extends z.ZodType>(model: Model) {
  return model.nullish().describe(model.description ?? '');
}

const tokenMembers = {
  exp_minutes: z
    .number()
    .int()
    .refine(isTestTokenLifetime)
    .nullish()
    .describe('Lifetime in minutes. Negative: expired that long ago.'),
  exp_seconds: z
    .number()
    .int()
    .refine((seconds) => isTestTokenLifetime(seconds / 60))
    .nullish()
    .describe('Lifetime in seconds, instead of exp_minutes.'),
  extra: z.record(z.string(), z.unknown()).nullish().describe('Additional claims.'),
  scope: z.string().nullish().describe('Scopes, separated by spaces.'),
  resource: textsOrText().nullish().describe('The audience of the token.'),
  audience: orNull(audience),
  set_claims: orNull(set_claims),
  remove_claims: orNull(remove_claims),
};

const userTokenModel = z.strictObject({
  ...tokenMembers,
  nbf: z.number().int().min(0).max(notBeforeMax).nullish().describe('Not before, in seconds since the epoch.'),
  client_id: z.string().nullish().describe('The client that gets the token.'),
  id_token: orNull(id_token),
});
const clientTokenModel = z.strictObject(tokenMembers);
type TokenModel = typeof userTokenModel | typeof clientTokenModel;

type Body = z.output<typeof clientTokenModel> & Partial<z.output<typeof userTokenModel>>;

/** Rejections whose messages need no facts. */
type PlainRefusal = ApiRefusalRow & Refusal;

const wrongOptions: ReadonlyMap<string, PlainRefusal> = new Map<string, PlainRefusal>([
  ['exp_minutes', managementRefusals.token_lifetime_wrong],
  ['exp_seconds', managementRefusals.token_seconds_wrong],
  ['nbf', managementRefusals.token_not_before_wrong],
  ['client_id', managementRefusals.token_client_not_a_text],
  ['extra', managementRefusals.token_extra_not_an_object],
  ['scope', managementRefusals.token_scope_not_a_text],
  ['resource', managementRefusals.token_resource_not_a_text],
]);

const makeUserToken = audited({ event_type: 'token_request' }, async (request, context, note) => {
  note.add({ username: request.pathParameters.username });
  const found = await requireEffectiveUser(request, context);
  const { user } = found;
  const body = readBody(userTokenModel, request);
  const client = await requireClient(body, context);
  const { ignored, ...options } = offeredOptions(body, client, context);
  const tokens = await issueTestToken(found, client, options, context);
  note.succeeded({
    username: user.username,
    client_id: client?.client.client_id,
    details: {
      exp_minutes: tokens.expires_in / 60,
      ...changedClaimNames(options.changes),
      authorities_count: authoritiesOf(user, context.snapshot.settings.authority_prefixes).length,
      ...ignoredScopes(ignored),
    },
  });
  return json(200, tokens);
});

/** The client's own token as client credentials issue it, with any lifetime and without its secret (API-18, API-19). */
const makeClientToken = audited({ event_type: 'token_request' }, async (request, context, note) => {
  const name = request.pathParameters.client_id ?? '';
  note.add({ client_id: name });
  const { snapshot, store, clock } = context;
  const found = await findEffectiveClient(snapshot, store, name, clock.now());
  if (found === undefined) throw apiError(managementRefusals.client_token_client_unknown);
  const body = readBody(clientTokenModel, request);
  const options = offeredOptions(body, found, context);
  const tokens = await issueClientToken(
    // An ID token would have no user (GRT-17).
    { client: found.client, scope: options.scope.filter((each) => each !== 'openid'), resource: options.resource },
    { lifetimeMinutes: options.lifetimeMinutes, extra: options.extra, changes: options.changes },
    context,
  );
  const details = {
    exp_minutes: tokens.expires_in / 60,
    ...changedClaimNames(options.changes),
    ...ignoredScopes(options.ignored),
  };
  note.succeeded({ details });
  return json(200, tokens);
});

const tokenModel = z
  .strictObject({
    access_token: z.string(),
    token_type: z.literal('Bearer'),
    expires_in: z.number().describe('Seconds. Negative for an expired token.'),
    scope: z.string().optional(),
    id_token: z.string().optional().describe('Present with scope openid.'),
    refresh_token: z.string().optional().describe('Present if the client can use it.'),
  })
  .meta({ id: 'TokenResponse' });

/** The token endpoint's rules, by its error. */
const refusalsOfTokenEndpoint = (['invalid_request', 'invalid_scope', 'invalid_target'] as const).map((kind) => {
  return { status: 400, kind };
});

export const userTokenRoutes: readonly Route[] = [
  {
    path: '/api/users/:username/token',
    audience: 'api',
    methods: { POST: makeUserToken },
    operations: {
      POST: {
        id: 'createUserToken',
        summary: 'Issues a token for a user without a login. It can already be expired.',
        body: userTokenModel.optional(),
        checksItsNames: true,
        answers: { 200: tokenModel },
        refusals: [
          managementRefusals.user_not_found,
          managementRefusals.body_not_json,
          managementRefusals.token_request_not_an_object,
          managementRefusals.token_client_unknown,
          managementRefusals.token_claim_changes_wrong,
          ...wrongOptions.values(),
          ...refusalsOfTokenEndpoint,
        ],
      },
    },
    noStore: true,
  },
  {
    path: '/api/clients/:client_id/token',
    audience: 'api',
    methods: { POST: makeClientToken },
    operations: {
      POST: {
        id: 'createClientToken',
        summary: 'Issues a token for a client without its secret. It can already be expired.',
        body: clientTokenModel.optional(),
        checksItsNames: true,
        answers: { 200: tokenModel },
        refusals: [
          managementRefusals.client_token_client_unknown,
          managementRefusals.body_not_json,
          managementRefusals.token_request_not_an_object,
          managementRefusals.token_claim_changes_wrong,
          ...wrongOptions.values(),
          ...refusalsOfTokenEndpoint,
        ],
      },
    },
    noStore: true,
  },
];

/**
 * Applies the rules of the token endpoint, with rejections in the form of this surface: the endpoint's error is the
 * `kind`.
 */
function offeredOptions(...options: Parameters<typeof optionsOf>): ReturnType<typeof optionsOf> {
  try {
    return optionsOf(...options);
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    throw new ApiError({ ...error.refusal, status: 400, kind: error.error }, error);
  }
}

function readBody(model: TokenModel, request: ParsedRequest): Body {
  requireDeclaredNames({ body: model }, request);
  const sent = parseJsonBody(request);
  const value = sent === undefined ? {} : sent;
  if (!isMapping(value)) {
    throw apiError(managementRefusals.token_request_not_an_object);
  }
  const parsed = model.safeParse(value);
  if (parsed.success) {
    const { exp_minutes: minutes, exp_seconds: seconds } = parsed.data;
    if (typeof minutes === 'number' && typeof seconds === 'number')
      throw apiError(managementRefusals.token_seconds_wrong);
    // As it was sent: a parsed record leaves out `__proto__`, which the token endpoint accepts (TOK-17).
    const extra = isMapping(value.extra) ? value.extra : undefined;
    return { ...parsed.data, extra };
  }
  const [issue] = parsed.error.issues;
  const named = issue?.path[0];
  if (named !== undefined && Object.hasOwn(claimChangeFields, named)) {
    const problem = `${issue?.path.join('.')} ${issue?.message}.`;
    throw apiError(managementRefusals.token_claim_changes_wrong, { problem });
  }
  throw apiError(wrongOptions.get(String(named)) ?? managementRefusals.token_request_not_an_object);
}

async function requireClient(body: Body, context: ProtocolContext): Promise<EffectiveClient | undefined> {
  if (body.client_id === undefined || body.client_id === null) return undefined;
  const { snapshot, store, clock } = context;
  const found = await findEffectiveClient(snapshot, store, body.client_id, clock.now());
  if (found === undefined) throw apiError(managementRefusals.token_client_unknown);
  return found;
}

/** @throws OAuthError */
function optionsOf(body: Body, client: EffectiveClient | undefined, context: ProtocolContext) {
  const { scopes = [], allowed_resources = [] } = client?.client ?? {};
  const restriction = { scopes, allowed_resources };
  const { granted, ignored } = resolveScope(body.scope ?? undefined, 'none', restriction, context.snapshot);
  const resource = checkResources({ resource: body.resource ?? [], audience: [] }, restriction);
  return {
    ignored,
    lifetimeMinutes: lifetimeMinutes(body),
    notBefore: body.nbf ?? undefined,
    extra: checkExtraClaims(body.extra ?? {}),
    ...{ scope: granted, resource },
    changes: changesOf(body, { idToken: granted.includes('openid'), hasResource: resource.length > 0 }),
  };
}

/** @throws ApiError */
function changesOf(...wanted: Parameters<typeof readClaimChanges>): TestTokenChanges | undefined {
  const changes = readClaimChanges(...wanted);
  if (changes === undefined || !('problem' in changes)) return changes;
  throw apiError(managementRefusals.token_claim_changes_wrong, { problem: changes.problem });
}

function lifetimeMinutes({ exp_minutes: minutes, exp_seconds: seconds }: Body): number | undefined {
  return typeof seconds === 'number' ? seconds / 60 : (minutes ?? undefined);
}
