// Tokens at /userinfo while DPoP is on (RFC 9449 §7). A token that is bound to a key needs a proof of it, and an
// unbound token must have none.
import { type Reply, withHeaders } from '#shared/engine/exchange/reply.ts';
import type { ParsedRequest, ProtocolContext } from '#shared/engine/exchange/request.ts';
import { boundKeyOf } from '#shared/engine/tokens/token-claims.ts';
import { dpopRefusals } from '#shared/model/refusals/families/dpop.ts';
import { OAuthError, oauthError } from '#shared/model/refusals/oauth-error.ts';
import { bearerCredentials, dpopChallenge, tokenCredentials } from '#shared/protocol/oauth2/authorization-header.ts';
import { nonceHeaders, proveKey, takesDpop } from './prove-key.ts';

/** A token with the scheme by which it was presented. A form field counts as `bearer`. */
export interface PresentedToken {
  readonly token: string | undefined;
  readonly scheme: 'bearer' | 'dpop' | undefined;
}

/** The credentials of the header. The scheme DPoP is unknown while proofs are not checked. */
export function shownCredentials(header: string | undefined, context: ProtocolContext) {
  return takesDpop(context) ? tokenCredentials(header) : bearerCredentials(header);
}

/** @throws OAuthError */
export async function checkBinding(
  { token = '', scheme }: PresentedToken,
  claims: Readonly<Record<string, unknown>>,
  request: ParsedRequest,
  context: ProtocolContext,
): Promise<void> {
  const key = boundKeyOf(claims);
  if (scheme !== 'dpop') {
    if (key !== undefined) throw oauthError(dpopRefusals.bound_token_without_proof);
    return;
  }
  if (key === undefined) throw oauthError(dpopRefusals.token_not_bound);
  const proven = await proveKey(request, context, { path: '/userinfo', accessToken: token, status: 401 });
  if (proven === undefined) throw oauthError(dpopRefusals.bound_token_without_proof);
  if (proven !== key) throw oauthError(dpopRefusals.token_bound_to_another_key);
}

/** A client that used a scheme gets a challenge of that scheme. A client without a scheme gets both. */
export async function challengingByScheme(
  scheme: PresentedToken['scheme'],
  context: ProtocolContext,
  answer: () => Promise<Reply>,
): Promise<Reply> {
  try {
    const reply = await answer();
    return scheme === 'dpop' ? withHeaders(reply, await nonceHeaders(context)) : reply;
  } catch (error) {
    if (!(error instanceof OAuthError) || scheme === 'bearer') throw error;
    const bearer = error.headers['WWW-Authenticate'];
    const challenge = scheme === 'dpop' ? dpopChallenge(error.error) : `${bearer}, ${dpopChallenge()}`;
    throw error.withHeaders({ ...error.headers, 'WWW-Authenticate': challenge });
  }
}
