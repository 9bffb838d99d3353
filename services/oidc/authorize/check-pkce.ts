// PKCE: which clients must send a challenge, by which method, and in which form (AUT-19 to AUT-21, PRF-01 to PRF-03,
// RFC 7636 §4.2 and §4.3). Only the gated profiles enforce the form. dev accepts it with a warning.

import type { Parameters } from '#shared/base/parameters.ts';
import type { ProtocolContext } from '#shared/engine/exchange/request.ts';
import { isPublicClient } from '#shared/model/configuration/client-authentication.ts';
import type { Client } from '#shared/model/configuration/client-entry.ts';
import type { AuthorizationRequest } from '#shared/model/domain/authorization-request.ts';
import { isCodeChallenge } from '#shared/model/oauth-rules/pkce.ts';
import { authorizeRefusals } from '#shared/model/refusals/families/authorize.ts';
import { oauthError } from '#shared/model/refusals/oauth-error.ts';

type Pkce = Pick<AuthorizationRequest, 'code_challenge' | 'code_challenge_method'>;

export const noPkce: Pkce = { code_challenge: undefined, code_challenge_method: undefined };

export function checkPkce(query: Parameters, client: Client, context: ProtocolContext): Pkce {
  const { rules } = context.snapshot;
  const challenge = query.value('code_challenge');
  const method = query.value('code_challenge_method');
  if (method !== undefined && method !== 'plain' && method !== 'S256') {
    throw oauthError(authorizeRefusals.code_challenge_method_unknown, { sent: method });
  }
  if (challenge === undefined) {
    if (isPublicClient(client)) throw oauthError(authorizeRefusals.code_challenge_required_of_public_client);
    if (rules.requirePkce) throw oauthError(authorizeRefusals.code_challenge_required);
    // The client believes that it uses PKCE, but sends no challenge (required by RFC 7636 §4.3), so no verifier would
    // ever be checked.
    if (method !== undefined) throw oauthError(authorizeRefusals.code_challenge_method_alone);
    return noPkce;
  }
  if (method !== 'S256') {
    const facts = { omitted: method === undefined };
    if (isPublicClient(client)) throw oauthError(authorizeRefusals.plain_pkce_of_public_client, facts);
    if (!rules.allowPlainPkce) throw oauthError(authorizeRefusals.plain_pkce_refused, facts);
  }
  const pkce = { code_challenge: challenge, code_challenge_method: method ?? 'plain' } as const;
  if (!isCodeChallenge(challenge, pkce.code_challenge_method)) malformed(pkce.code_challenge_method, client, context);
  return pkce;
}

function malformed(
  method: 'S256' | 'plain',
  { client_id }: Client,
  { snapshot, log, requestId }: ProtocolContext,
): void {
  const refusal = oauthError(authorizeRefusals.code_challenge_malformed, { method });
  if (snapshot.rules.refuseMalformedPkce) throw refusal;
  const who = snapshot.settings.logging.verbose_logging ? { client_id } : {};
  log.warn(
    { ...who, requestId, reason: refusal.reason },
    'accepted a malformed code_challenge, because the security profile is dev',
  );
}
