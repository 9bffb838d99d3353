// Redeeming an authorization code (RFC 6749 §4.1.3, RFC 7636 §4.6; GRT-01 to GRT-10). Everything is checked against the
// code as found; the redemption in the store comes last and lets one request through.

import type { AuthorizationCodeRecord } from '#shared/domain/authorization-code.ts';
import type { CodeChallengeMethod } from '#shared/domain/authorization-request.ts';
import { findEffectiveUser } from '#shared/domain/effective-identities.ts';
import type { RequestContext } from '#shared/http/request.ts';
import { latestExpiry } from '#shared/issuing/latest-expiry.ts';
import { isCodeChallenge, isCodeVerifier, verifierMatches } from '#shared/protocol/oauth2/pkce.ts';
import { narrowResources } from '#shared/protocol/oauth2/resource.ts';
import { checkScope } from '#shared/protocol/oauth2/scope.ts';
import { AuditedRefusal, aboutUser } from '../audited-refusal.ts';
import { type Grant, requiredParameter } from '../grant.ts';

export const authorizationCodeGrant: Grant = {
  type: 'authorization_code',
  async authorize({ form, client, origin }, context) {
    const code = requiredParameter(form, 'code');
    const redirectUri = requiredParameter(form, 'redirect_uri');
    const family = context.random.token();

    const found = await context.store.codes.find(code, context.clock.now());
    if (found === undefined) throw unusable('Unknown or expired code');
    const { record } = found;
    if (record.request.client_id !== client.client_id) {
      // Somebody else's attempt neither spends nor revokes anything (D36).
      throw unusable('The code was issued to another client', { bound_client: record.request.client_id });
    }
    if (found.used) await redeemOnce(code, client.client_id, family, record.username, context);

    if (redirectUri !== record.request.redirect_uri) {
      throw refused(record, "'redirect_uri' differs from the one of the authorization request.");
    }
    checkVerifier(record, form.value('code_verifier'), context);
    const user = await findEffectiveUser(context.snapshot, context.store, record.username);
    if (user === undefined) throw refused(record, 'The user who authorized this no longer exists.');
    const granted = record.request;
    const resource = aboutUser(record.username, () => {
      checkScope(granted.scope, client, context.snapshot);
      return narrowResources(form.values('resource'), granted.resource, client);
    });

    await redeemOnce(code, client.client_id, family, record.username, context);
    return {
      subject: 'user',
      authorization: {
        user: user.user,
        client,
        scope: granted.scope,
        resource,
        claims: granted.claims,
        authenticatedAt: record.authenticatedAt,
        amr: record.amr,
        nonce: granted.nonce,
        family,
        refresh: origin === 'cimd' ? undefined : { scope: granted.scope, resource: granted.resource },
      },
    };
  },
};

/** At most one caller gets past here; every later one by this client revokes what the first got (GRT-09, GRT-10). */
async function redeemOnce(
  code: string,
  clientId: string,
  family: string,
  username: string,
  { store, clock, snapshot }: RequestContext,
): Promise<void> {
  const now = clock.now();
  const { outcome } = await store.codes.redeem(code, clientId, family, now, latestExpiry(snapshot.settings, now));
  if (outcome === 'redeemed') return;
  throw unusable(outcome === 'used' ? 'The code was used before' : 'Unknown or expired code', {}, username);
}

function checkVerifier(
  record: AuthorizationCodeRecord,
  verifier: string | undefined,
  { snapshot, log, requestId }: RequestContext,
): void {
  const { code_challenge: challenge, code_challenge_method: method } = record.request;
  if (challenge === undefined) {
    if (verifier !== undefined && snapshot.rules.refuseUnexpectedVerifier) {
      throw refused(record, "'code_verifier' was sent for a code that was requested without a code_challenge.");
    }
    return;
  }
  if (verifier === undefined) throw refused(record, "'code_verifier' is required: the code was requested with PKCE.");
  const malformed = !isCodeVerifier(verifier);
  if (malformed && snapshot.rules.refuseMalformedPkce) throw refused(record, verifierGrammar);
  if (!verifierMatches(verifier, challenge, method ?? 'plain')) throw refused(record, mismatch(challenge, method));
  if (!malformed) return;
  const who = snapshot.settings.logging.verbose_logging ? { client_id: record.request.client_id } : {};
  log.warn(
    { ...who, requestId, reason: verifierGrammar },
    'a malformed code_verifier is accepted under the profile dev',
  );
}

/** A padded or hexadecimal challenge can match no verifier; whoever looks at the verifier alone never finds that. */
function mismatch(challenge: string, method: CodeChallengeMethod | undefined): string {
  const sentence = "'code_verifier' does not match the code_challenge of the authorization request";
  return method !== 'S256' || isCodeChallenge(challenge, 'S256')
    ? `${sentence}.`
    : `${sentence}, which is not the form of S256: 43 base64url characters without padding (RFC 7636 section 4.2).`;
}

const verifierGrammar = "'code_verifier' must be 43 to 128 unreserved characters (RFC 7636 section 4.1).";

function refused(record: AuthorizationCodeRecord, description: string): AuditedRefusal {
  return new AuditedRefusal('invalid_grant', description, { username: record.username });
}

/** One sentence for unknown, expired, used and foreign codes alike. */
function unusable(reason: string, details: Readonly<Record<string, unknown>> = {}, username?: string): AuditedRefusal {
  return new AuditedRefusal(
    'invalid_grant',
    "'code' is unknown, expired, already used or was issued to another client; start a new authorization request.",
    { reason, details, username },
  );
}
