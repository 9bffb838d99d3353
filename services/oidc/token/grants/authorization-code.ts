// Redeems an authorization code (RFC 6749 §4.1.3, RFC 7636 §4.6; GRT-01 to GRT-10). All checks use the code as it was
// read. The redemption in the store comes last and succeeds for one request only.

import type { ProtocolContext } from '#shared/engine/exchange/request.ts';
import { findEffectiveUser } from '#shared/engine/identities/effective-identities.ts';
import { areSessionsOn } from '#shared/engine/login/browser-sessions.ts';
import { latestExpiry } from '#shared/engine/tokens/latest-expiry.ts';
import { isPublicClient } from '#shared/model/configuration/client-authentication.ts';
import type { Client } from '#shared/model/configuration/client-entry.ts';
import type { AuthorizationCodeRecord } from '#shared/model/domain/authorization-code.ts';
import type { CodeChallengeMethod } from '#shared/model/domain/authorization-request.ts';
import { familyOfSession } from '#shared/model/domain/refresh-family.ts';
import { isSameIdentity } from '#shared/model/domain/runtime-identity.ts';
import { familyOfTypedClaims } from '#shared/model/domain/typed-claims.ts';
import { isCodeChallenge, isCodeVerifier, verifierMatches } from '#shared/model/oauth-rules/pkce.ts';
import { namedResources, narrowResources } from '#shared/model/oauth-rules/resource.ts';
import { permittedScope } from '#shared/model/oauth-rules/scope.ts';
import { dpopRefusals } from '#shared/model/refusals/families/dpop.ts';
import { tokenRefusals } from '#shared/model/refusals/families/token.ts';
import { type OAuthError, oauthError } from '#shared/model/refusals/oauth-error.ts';
import { aboutUser } from '#shared/model/refusals/refusal.ts';
import { lacksKey } from '../../dpop/prove-key.ts';
import { type Grant, requiredParameter } from '../grant.ts';

export const authorizationCodeGrant = {
  type: 'authorization_code',
  async authorize({ form, client, instanceId, provenKey }, context) {
    const code = requiredParameter(form, 'code');
    const redirectUri = requiredParameter(form, 'redirect_uri');
    const found = await context.store.codes.find(code, context.clock.now());
    if (found === undefined) throw oauthError(tokenRefusals.code_unknown);
    const { username, unused: record } = found;
    if (found.client_id !== client.client_id) {
      // Another client's attempt neither uses nor revokes anything (D36).
      const details = { bound_client: found.client_id };
      throw oauthError(tokenRefusals.code_of_another_client, undefined, { details });
    }
    // Nor does the attempt of a client that was created under the name of a deleted one (RUN-14).
    if (record !== undefined && !isSameIdentity(record.clientInstance, instanceId)) {
      throw oauthError(tokenRefusals.code_of_another_client, undefined, { username });
    }
    if (record === undefined) {
      await redeemOnce(code, client, context.random.token(), username, context, {});
      throw oauthError(tokenRefusals.code_unknown);
    }

    if (redirectUri !== record.request.redirect_uri) {
      const facts = { sent: redirectUri, expected: record.request.redirect_uri };
      throw oauthError(tokenRefusals.redirect_uri_differs, facts, { username: record.username });
    }
    checkChallenge(record, client);
    checkVerifier(record, form.value('code_verifier'), context);
    if (lacksKey(record.request.dpop_jkt, provenKey, context)) {
      throw oauthError(dpopRefusals.code_bound_to_another_key, undefined, { username });
    }
    const user = await findEffectiveUser(context.snapshot, context.store, record.username);
    if (user === undefined || !isSameIdentity(record.userInstance, user.instanceId)) {
      throw refused(record, 'code_user_gone');
    }
    const granted = record.request;
    const { permitted, resource } = aboutUser(record.username, () => ({
      permitted: permittedScope(granted.scope, client, context.snapshot),
      resource: narrowResources(namedResources(form, context.snapshot.settings), granted.resource, client),
    }));

    const family = familyOf(record, context.random.token());
    await redeemOnce(code, client, family, record.username, context, record);
    const { granted: scope, ignored } = permitted;
    return {
      subject: 'user',
      ignored,
      authorization: {
        user: user.user,
        client,
        userInstance: user.instanceId,
        clientInstance: instanceId,
        scope,
        resource,
        claims: granted.claims,
        login: record.claims,
        authenticatedAt: record.authenticatedAt,
        amr: record.amr,
        acr: record.acr,
        sid: record.sid,
        nonce: granted.nonce,
        family,
        refresh: { scope, resource: granted.resource },
      },
    };
  },
  async readFacts(form, { store, clock }) {
    const code = form.value('code');
    const found = code === undefined ? undefined : await store.codes.find(code, clock.now());
    return found === undefined ? {} : { username: found.username, scope: found.unused?.request.scope };
  },
} as const satisfies Grant;

/** Without `offline_access` the refresh tokens can end with the session (LGO-20, OIDC Core §11). */
function familyOf({ sid, request, claims }: AuthorizationCodeRecord, random: string): string {
  const family = familyOfTypedClaims(random, claims);
  return sid === undefined || request.scope.includes('offline_access') ? family : familyOfSession(family, sid);
}

/** At most one request passes. Every later one by this client revokes the tokens of the first (GRT-09, GRT-10). */
async function redeemOnce(
  code: string,
  client: Client,
  family: string,
  username: string,
  context: ProtocolContext,
  { sid, claims }: Pick<AuthorizationCodeRecord, 'sid' | 'claims'>,
): Promise<void> {
  const { store, clock, snapshot, issuer } = context;
  const now = clock.now();
  const expiresAt = latestExpiry(snapshot.settings, now, client);
  const session = sid === undefined ? undefined : { sid, issuer, mayBeOver: !areSessionsOn(context) };
  const { outcome } = await store.codes.redeem(code, client.client_id, family, now, expiresAt, { session, claims });
  if (outcome === 'redeemed') return;
  if (outcome === 'session_over') throw oauthError(tokenRefusals.code_session_over, undefined, { username });
  const refusal = outcome === 'used' ? tokenRefusals.code_used : tokenRefusals.code_unknown;
  throw oauthError(refusal, undefined, { username });
}

/** A client that left out its optional secret is public, and a public client needs PKCE (CLS-08, AUT-19). */
function checkChallenge(record: AuthorizationCodeRecord, client: Client): void {
  if (isPublicClient(client) && record.request.code_challenge_method !== 'S256') {
    throw refused(record, 'code_of_secret_without_secret');
  }
}

function checkVerifier(
  record: AuthorizationCodeRecord,
  verifier: string | undefined,
  { snapshot, log, requestId }: ProtocolContext,
): void {
  const { code_challenge: challenge, code_challenge_method: method } = record.request;
  if (challenge === undefined) {
    if (verifier !== undefined && snapshot.rules.refuseUnexpectedVerifier) {
      throw refused(record, 'code_verifier_unexpected');
    }
    return;
  }
  if (verifier === undefined) throw refused(record, 'code_verifier_missing');
  const malformed = !isCodeVerifier(verifier);
  if (malformed && snapshot.rules.refuseMalformedPkce) throw refused(record, 'code_verifier_malformed');
  if (!verifierMatches(verifier, challenge, method ?? 'plain')) throw mismatch(record, challenge, method);
  if (!malformed) return;
  const who = snapshot.settings.logging.verbose_logging ? { client_id: record.request.client_id } : {};
  log.warn(
    { ...who, requestId, reason: tokenRefusals.code_verifier_malformed.answer },
    'accepted a malformed code_verifier, because the security profile is dev',
  );
}

/** A malformed challenge matches no verifier: then the challenge is wrong, not the verifier. */
function mismatch(
  record: AuthorizationCodeRecord,
  challenge: string,
  method: CodeChallengeMethod = 'plain',
): OAuthError {
  if (method === 'S256' && !isCodeChallenge(challenge, 'S256')) return refused(record, 'code_challenge_unmatchable');
  return oauthError(tokenRefusals.pkce_mismatch, { challenge, method }, { username: record.username });
}

type PlainRefusal =
  | 'code_of_secret_without_secret'
  | 'code_user_gone'
  | 'code_verifier_unexpected'
  | 'code_verifier_missing'
  | 'code_verifier_malformed'
  | 'code_challenge_unmatchable';

function refused({ username }: AuthorizationCodeRecord, code: PlainRefusal): OAuthError {
  return oauthError(tokenRefusals[code], undefined, { username });
}
