// POST /token. The phases are the lines of `tokenEndpoint`, in the order of TOK-02; the rate limit comes before, in the
// dispatcher. What is special about a grant is in grants/, one file each.
import { findEffectiveClient } from '#shared/domain/effective-identities.ts';
import { json, type Reply } from '#shared/http/reply.ts';
import { auditEvent, type Endpoint, type ParsedRequest, type RequestContext } from '#shared/http/request.ts';
import { authoritiesOf } from '#shared/issuing/authorities.ts';
import type { TokenOptions, TokenSet } from '#shared/issuing/authorization.ts';
import { issueClientToken, issueUserTokens } from '#shared/issuing/issue-tokens.ts';
import { quotable } from '#shared/protocol/oauth2/descriptions.ts';
import { refuseDoubledParameters } from '#shared/protocol/oauth2/doubled-parameter.ts';
import { supportedGrantTypes } from '#shared/protocol/oauth2/grant-types.ts';
import { OAuthError } from '#shared/protocol/oauth2/oauth-error.ts';
import { requireForm } from '../require-form.ts';
import { AuditedRefusal, auditOfRefusal } from './audited-refusal.ts';
import { authenticateClient, claimedClientId } from './client-authentication.ts';
import type { Grant, Granted, GrantRequest } from './grant.ts';
import { authorizationCodeGrant } from './grants/authorization-code.ts';
import { clientCredentialsGrant } from './grants/client-credentials.ts';
import { deviceCodeGrant } from './grants/device-code.ts';
import { passwordGrant } from './grants/password.ts';
import { refreshTokenGrant } from './grants/refresh-token.ts';
import { readTokenOptions } from './token-options.ts';

const grants: ReadonlyMap<string, Grant> = new Map(
  [authorizationCodeGrant, clientCredentialsGrant, passwordGrant, refreshTokenGrant, deviceCodeGrant].map((grant) => [
    grant.type,
    grant,
  ]),
);

/** Every parameter of /token that may stand once; `resource` may stand more often (TOK-05). */
const singleParameters: ReadonlySet<string> = new Set([
  'grant_type',
  'client_id',
  'client_secret',
  'exp',
  'extra',
  'scope',
  'code',
  'redirect_uri',
  'code_verifier',
  'username',
  'password',
  'nonce',
  'refresh_token',
  'device_code',
]);

export const tokenEndpoint: Endpoint = async (request, context) => {
  try {
    const grantType = requestedGrantType(request);
    const client = await authenticateClient(request, context, 'token');
    const options = readTokenOptions(request.form);
    const grant = knownGrant(grantType, context);
    const granted = await grant.authorize({ ...client, form: request.form }, context);
    const tokens = await mint(granted, client, options, context);
    return await answer(tokens, granted, grant, request, context);
  } catch (error) {
    if (error instanceof OAuthError) await recordRefusal(error, request, context);
    throw error;
  }
};

function requestedGrantType(request: ParsedRequest): string {
  requireForm(request);
  const { form } = request;
  const grantType = form.value('grant_type');
  if (grantType === undefined) throw new OAuthError('invalid_request', "'grant_type' is required and was not sent.");
  refuseDoubledParameters(form, singleParameters);
  return grantType;
}

function knownGrant(grantType: string, { snapshot }: RequestContext): Grant {
  const grant = grants.get(grantType);
  if (grant === undefined || (grant === passwordGrant && !snapshot.rules.allowPasswordGrant)) {
    const known = supportedGrantTypes(snapshot.rules).join(', ');
    throw new OAuthError('unsupported_grant_type', `'grant_type' must be one of: ${known}.`);
  }
  return grant;
}

/** The claim in the store is done; from here on nothing can be refused, only fail. */
async function mint(
  granted: Granted,
  { origin, client }: Omit<GrantRequest, 'form'>,
  options: TokenOptions,
  context: RequestContext,
): Promise<TokenSet> {
  if (granted.subject === 'client') return issueClientToken(granted.authorization, options, context);
  const { authorization } = granted;
  // A client that vanished meanwhile gets no refresh token: nobody could use it (TOK-20).
  const remains =
    origin === 'declared' ||
    (await findEffectiveClient(context.snapshot, context.store, client.client_id, context.clock.now())) !== undefined;
  return issueUserTokens(remains ? authorization : { ...authorization, refresh: undefined }, options, context);
}

async function answer(
  tokens: TokenSet,
  granted: Granted,
  grant: Grant,
  request: ParsedRequest,
  context: RequestContext,
): Promise<Reply> {
  const { settings } = context.snapshot;
  const user = granted.subject === 'user' ? granted.authorization.user : undefined;
  const clientId = granted.authorization.client?.client_id;
  // Every token at level debug only: at a thousand and more a second the log would cost more than it tells.
  if (settings.logging.log_token_requests && context.log.isLevelEnabled('debug')) {
    const who = settings.logging.verbose_logging ? { client_id: clientId, username: user?.username } : {};
    context.log.debug({ grant_type: grant.type, ...who }, 'tokens issued');
  }
  await context.audit.record(
    auditEvent(request, context, {
      event_type: 'token_request',
      endpoint: '/token',
      status: 'success',
      client_id: clientId,
      username: user?.username,
      details:
        user === undefined
          ? { grant_type: grant.type }
          : { grant_type: grant.type, authorities_count: authoritiesOf(user, settings.authority_prefixes).length },
    }),
    // A code or a refresh token is spent: a 503 would make the client spend it again.
    { done: user !== undefined },
  );
  const { tokenResponse } = context.alterations;
  return json(200, tokenResponse === undefined ? tokens : await tokenResponse({ ...tokens }));
}

async function recordRefusal(error: OAuthError, request: ParsedRequest, context: RequestContext): Promise<void> {
  if (error instanceof AuditedRefusal && error.unrecorded) return;
  const { username, details } = auditOfRefusal(error);
  const clientId = claimedClientId(request);
  const grantType = request.form.value('grant_type');
  const { settings } = context.snapshot;
  if (settings.logging.log_token_requests) {
    const who = settings.logging.verbose_logging ? { client_id: clientId, username } : {};
    context.log.info({ error: error.error, ...who, reason: error.reason }, 'token request refused');
  }
  await context.audit.record(
    auditEvent(request, context, {
      event_type: 'token_request',
      endpoint: '/token',
      status: 'failed',
      client_id: clientId,
      username,
      details: grantType === undefined ? details : { ...details, grant_type: quotable(grantType) },
    }),
  );
}
