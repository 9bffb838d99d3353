// Validates an authorization request once, on a GET or on a direct POST. The order of the checks decides which error is
// sent (AUT-06). Capacity, the last check, runs where the transaction begins.

import type { Parameters } from '#shared/base/parameters.ts';
import type { ProtocolContext } from '#shared/engine/exchange/request.ts';
import type { EffectiveClient } from '#shared/engine/identities/effective-identities.ts';
import { type AutomaticLogin, automaticLogin } from '#shared/engine/login/automatic-login.ts';
import { areSessionsOn } from '#shared/engine/login/browser-sessions.ts';
import type { ConfigurationSnapshot } from '#shared/model/configuration/configuration-snapshot.ts';
import type { AuthorizationRequest } from '#shared/model/domain/authorization-request.ts';
import { checkResources, ignoredParameters, namedResources } from '#shared/model/oauth-rules/resource.ts';
import { ignoredScopes, resolveScope, withoutOfflineAccess } from '#shared/model/oauth-rules/scope.ts';
import { authorizeRefusals } from '#shared/model/refusals/families/authorize.ts';
import { OAuthError, oauthError } from '#shared/model/refusals/oauth-error.ts';
import { takesDpop } from '../dpop/prove-key.ts';
import { needsPushedRequest } from '../pushed/take-pushed-request.ts';
import { checkClient } from './check-client.ts';
import { checkDpopKey } from './check-dpop-key.ts';
import { checkPkce, noPkce } from './check-pkce.ts';
import { checkPresence } from './check-presence.ts';
import { checkPrompt } from './check-prompt.ts';
import { checkRedirectUri } from './check-redirect-uri.ts';
import { checkRepetition } from './check-repetition.ts';
import { checkRequestObjects, modeWithinRefusedObject } from './check-request-objects.ts';
import { checkResponseMode, modeForErrors } from './check-response-mode.ts';
import { checkResponseType, isImplicit } from './check-response-type.ts';
import { RefusalForClient } from './client-response.ts';
import { effectiveParameters } from './effective-parameters.ts';
import { requestedClaims } from './requested-claims.ts';
import { requestedLogin, requestedWithoutSessions } from './requested-login.ts';

interface AcceptedRequest {
  readonly request: AuthorizationRequest;
  readonly client: EffectiveClient;
  /** The login without a page, so that `prompt=none` can be satisfied (AUT-30, LIN-03). */
  readonly autoLogin: AutomaticLogin | undefined;
}

/**
 * `mayAutoLogin`: a login without a page is possible here.
 * @throws OAuthError up to and including the redirect URI, RefusalForClient after it (AUT-07).
 */
export async function acceptRequest(
  sent: Parameters,
  context: ProtocolContext,
  mayAutoLogin: boolean,
): Promise<AcceptedRequest> {
  const { parameters, pushed } = await effectiveParameters(sent, context);
  return acceptParameters(parameters, context, { mayAutoLogin, pushed });
}

interface AcceptOptions {
  readonly mayAutoLogin: boolean;
  /** The request_uri of a request that was pushed. */
  readonly pushed?: string | undefined;
  /** The request is being pushed: checks that depend on the browser wait until a browser brings it. */
  readonly isPushing?: boolean;
}

/** Validates the effective parameters. @throws as `acceptRequest` does. */
export async function acceptParameters(
  query: Parameters,
  context: ProtocolContext,
  { mayAutoLogin, pushed, isPushing = false }: AcceptOptions,
): Promise<AcceptedRequest> {
  const { snapshot } = context;
  const { clientId, redirectUri } = checkPresence(query);
  const effective = await checkClient(clientId, context);
  const { client } = effective;
  context.recording?.acceptedLeniently(checkRedirectUri(redirectUri, client, snapshot));
  const state = query.value('state');
  try {
    const on = areSessionsOn(context);
    checkRepetition(query, on);
    const responseMode = checkResponseMode(query, snapshot);
    checkRequestObjects(query);
    if (pushed === undefined && !isPushing && needsPushedRequest(client, context)) {
      throw oauthError(authorizeRefusals.pushed_request_required);
    }
    const type = checkResponseType(query, snapshot);
    const { granted: scope, ignored } = scopeFor(query.value('scope'), effective, snapshot);
    const nonce = query.value('nonce');
    if (isImplicit(type) && !scope.includes('openid')) throw oauthError(authorizeRefusals.openid_scope_missing);
    if (isImplicit(type) && nonce === undefined) throw oauthError(authorizeRefusals.nonce_missing);
    // Without a code PKCE has nothing to protect.
    const pkce = isImplicit(type) ? noPkce : checkPkce(query, client, context);
    const resource = checkResources(namedResources(query, snapshot.settings), client);
    const autoLogin = mayAutoLogin ? await automaticLogin(query, context) : undefined;
    const boundKey = takesDpop(context) ? checkDpopKey(query) : undefined;
    const prompts = checkPrompt(query, autoLogin !== undefined || on || isPushing);
    const asks = on ? await requestedLogin(query, prompts, client, context) : requestedWithoutSessions(prompts);
    const request: AuthorizationRequest = {
      client_id: clientId,
      redirect_uri: redirectUri,
      response_mode: responseMode,
      ...(isImplicit(type) ? { response_type: type } : {}),
      scope,
      state,
      nonce,
      ...pkce,
      claims: requestedClaims(query, clientId, context),
      resource,
      login_hint: query.value('login_hint'),
      ...(boundKey === undefined ? {} : { dpop_jkt: boundKey }),
      ...(pushed === undefined ? {} : { pushed }),
      ...ignoredParameters(query, snapshot.settings),
      ...ignoredScopes(ignored),
      ...(asks === undefined ? {} : { asks }),
    };
    return { request, client: effective, autoLogin };
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    const recipient = {
      client_id: clientId,
      redirect_uri: redirectUri,
      response_mode: modeWithinRefusedObject(error, query) ?? modeForErrors(query, snapshot),
      state,
      pushed,
    };
    throw new RefusalForClient(error, recipient);
  }
}

/** A client with a metadata document gets no refresh token, so `offline_access` would be a promise (MDC-04). */
function scopeFor(requested: string | undefined, { client, origin }: EffectiveClient, snapshot: ConfigurationSnapshot) {
  const resolved = resolveScope(requested, 'restriction_or_openid', client, snapshot);
  return origin === 'cimd' ? withoutOfflineAccess(resolved, client, snapshot) : resolved;
}
