// POST /token. The phases are the lines of `tokenEndpoint`, in the order of TOK-02. The rate limit runs earlier, in a
// stage of app.ts. Each grant has its own file in grants/.

import { type AuditNote, audited } from '#shared/engine/exchange/audited.ts';
import { json } from '#shared/engine/exchange/reply.ts';
import type { ParsedRequest, ProtocolContext } from '#shared/engine/exchange/request.ts';
import { findEffectiveClient } from '#shared/engine/identities/effective-identities.ts';
import { authoritiesOf } from '#shared/engine/tokens/authorities.ts';
import type { ClientAuthorization, TokenOptions, TokenSet } from '#shared/engine/tokens/authorization.ts';
import { issueClientToken, issueUserTokens } from '#shared/engine/tokens/issue-tokens.ts';
import type { Client } from '#shared/model/configuration/client-entry.ts';
import { refuseDoubledParameters } from '#shared/model/oauth-rules/doubled-parameter.ts';
import { supportedGrantTypes } from '#shared/model/oauth-rules/grants.ts';
import { refuseNul } from '#shared/model/oauth-rules/nul-parameter.ts';
import { ignoredParameters } from '#shared/model/oauth-rules/resource.ts';
import { ignoredScopes } from '#shared/model/oauth-rules/scope.ts';
import { dpopRefusals } from '#shared/model/refusals/families/dpop.ts';
import { tokenRefusals } from '#shared/model/refusals/families/token.ts';
import { OAuthError, oauthError } from '#shared/model/refusals/oauth-error.ts';
import { singleParametersOf } from '#shared/model/secrets/known-parameters.ts';
import { safeInDescription } from '#shared/protocol/oauth2/descriptions.ts';
import { authenticateClient } from '../client-authentication/authenticate-client.ts';
import { claimedClientId } from '../client-authentication/presented-credentials.ts';
import { nonceHeaders, proveKey, takesDpop } from '../dpop/prove-key.ts';
import { requireForm } from '../require-form.ts';
import { type Grant, type Granted, type GrantRequest, withoutScope } from './grant.ts';
import { servedGrant } from './grants/index.ts';
import { readTokenOptions } from './token-options.ts';

const singleParameters = singleParametersOf('client', 'token');

export const tokenEndpoint = audited(
  { event_type: 'token_request', endpoint: '/token' },
  async (request, context, note) => {
    noteClient(request, context, note);
    try {
      const grantType = requestedGrantType(request);
      const { client, origin, instanceId } = await authenticateClient(request, context, 'token');
      const options = readTokenOptions(request.form);
      const grant = requiredGrant(grantType, context);
      const provenKey = takesDpop(context) ? await proveKeyOfTokens(client, request, context) : undefined;
      const grantRequest = { client, origin, instanceId, provenKey, form: request.form };
      const granted = await grant.authorize(grantRequest, context);
      const tokens = await issueTokens(granted, grantRequest, options, context);
      noteTokens(granted, grant, context, note);
      const headers = provenKey === undefined ? undefined : await nonceHeaders(context);
      const { tokenResponse } = context.outputHooks;
      if (tokenResponse === undefined) return json(200, tokens, headers);
      const without = async (name: string) => ({
        ...(await issueTokens(withoutScope(granted, name), grantRequest, options, context)),
      });
      return json(200, await tokenResponse({ ...tokens }, { scope: granted.authorization.scope, without }), headers);
    } catch (error) {
      if (error instanceof OAuthError) logRefusal(error, request, context);
      throw error;
    }
  },
);

/** Notes the client that the request names, authenticated or not, and its grant type. */
function noteClient(request: ParsedRequest, { snapshot }: ProtocolContext, note: AuditNote): void {
  note.add({ client_id: claimedClientId(request), details: ignoredParameters(request.form, snapshot.settings) });
  const grantType = request.form.value('grant_type');
  if (grantType !== undefined) note.onRejection({ grant_type: safeInDescription(grantType) });
}

function requestedGrantType(request: ParsedRequest): string {
  requireForm(request);
  const { form } = request;
  const grantType = form.value('grant_type');
  if (grantType === undefined) throw oauthError(tokenRefusals.grant_type_missing);
  refuseDoubledParameters(form, singleParameters);
  refuseNul(form);
  return grantType;
}

function requiredGrant(grantType: string, { snapshot }: ProtocolContext): Grant {
  const grant = servedGrant(grantType, snapshot);
  if (grant === undefined) {
    throw oauthError(tokenRefusals.grant_type_not_supported, { served: supportedGrantTypes(snapshot) });
  }
  return grant;
}

/** The grant is already redeemed, so from here on the request can fail but not be rejected. */
async function issueTokens(
  granted: Granted,
  { origin, client, provenKey }: GrantRequest,
  options: TokenOptions,
  context: ProtocolContext,
): Promise<TokenSet> {
  if (granted.subject === 'client') return issueClientToken(bound(granted.authorization, provenKey), options, context);
  const authorization = bound(granted.authorization, provenKey);
  // A client by metadata document, or one that was deleted meanwhile, gets no refresh token: it could not use it
  // (TOK-20).
  const refreshes =
    origin === 'declared' ||
    (origin === 'runtime' &&
      (await findEffectiveClient(context.snapshot, context.store, client.client_id, context.clock.now())) !==
        undefined);
  return issueUserTokens(refreshes ? authorization : { ...authorization, refresh: undefined }, options, context);
}

function bound<Authorization extends Pick<ClientAuthorization, 'boundKey'>>(
  authorization: Authorization,
  boundKey: string | undefined,
): Authorization {
  return boundKey === undefined ? authorization : { ...authorization, boundKey };
}

/** The key that tokens are bound to. Its proof is checked before the grant claims anything (RFC 9449 §5). */
async function proveKeyOfTokens(
  client: Client,
  request: ParsedRequest,
  context: ProtocolContext,
): Promise<string | undefined> {
  const key = await proveKey(request, context, { path: '/token' });
  if (key === undefined && client.dpop_bound_access_tokens) throw oauthError(dpopRefusals.dpop_proof_missing);
  return key;
}

function noteTokens(granted: Granted, grant: Grant, context: ProtocolContext, note: AuditNote): void {
  const { settings } = context.snapshot;
  const user = granted.subject === 'user' ? granted.authorization.user : undefined;
  const clientId = granted.authorization.client?.client_id;
  // Only at level debug: at more than a thousand tokens a second, the log would cost more than it is worth.
  if (settings.logging.log_token_requests && context.log.isLevelEnabled('debug')) {
    const who = settings.logging.verbose_logging ? { client_id: clientId, username: user?.username } : {};
    context.log.debug({ grant_type: grant.type, ...who }, 'issued tokens');
  }
  const authorities = user && { authorities_count: authoritiesOf(user, settings.authority_prefixes).length };
  note.succeeded(
    {
      client_id: clientId,
      username: user?.username,
      details: { grant_type: grant.type, ...authorities, ...ignoredScopes(granted.ignored) },
    },
    // A code or a refresh token is already used: a 503 would make the client send it again.
    { done: user !== undefined },
  );
}

function logRefusal(error: OAuthError, request: ParsedRequest, { snapshot, log }: ProtocolContext): void {
  const { settings } = snapshot;
  if (error.refusal.unrecorded === true || !settings.logging.log_token_requests) return;
  const clientId = claimedClientId(request);
  const who = settings.logging.verbose_logging ? { client_id: clientId, username: error.username } : {};
  log.info(
    { error: error.error, refusal: error.refusal.code, ...who, reason: error.reason },
    'rejected a token request',
  );
}
