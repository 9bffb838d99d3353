// Checks whether a presented token is active: signature and time first, then the lists of revoked and used tokens.
// /userinfo, /introspect and /revoke use it, and decide themselves what an active token permits.

import type { ProtocolContext } from '#shared/engine/exchange/request.ts';
import { findEffectiveClient } from '#shared/engine/identities/effective-identities.ts';
import {
  judgeToken,
  type TokenProblem,
  tokenFamilyOf,
  type VerifiedToken,
} from '#shared/engine/tokens/verify-token.ts';
import { familiesOfClient, placeOfRefreshToken } from '#shared/model/domain/refresh-family.ts';
import { accessTokenRefusals } from '#shared/model/refusals/families/access-token.ts';
import { type OAuthError, oauthError } from '#shared/model/refusals/oauth-error.ts';

export type TokenClaims = Readonly<Record<string, unknown>>;

type TokenUse = 'access' | 'id' | 'refresh';

export type LiveToken =
  | { readonly live: true; readonly use: TokenUse; readonly claims: TokenClaims }
  /** `claims` is present when the signature is valid and the token was rejected for another reason. */
  | { readonly live: false; readonly refused: OAuthError; readonly claims?: TokenClaims };

export async function findLiveToken(token: string | undefined, context: ProtocolContext): Promise<LiveToken> {
  if (token === undefined) return { live: false, refused: oauthError(accessTokenRefusals.token_missing) };
  const now = context.clock.now();
  const verified = await judgeToken(token, { keys: context.keys, now });
  if ('problem' in verified) {
    const claims = 'claims' in verified ? verified.claims : undefined;
    return { live: false, refused: problemOf(verified), ...(claims && { claims }) };
  }
  const { claims } = verified;
  const use = tokenUseOf(verified);
  if (use === 'id') return { live: true, use, claims };
  const family = tokenFamilyOf(claims);
  const jti = typeof claims.jti === 'string' ? claims.jti : '';
  const { tokenState } = context.store;
  const ended =
    use === 'refresh'
      ? await tokenState.isRefreshTokenSpentOrRevoked(family ?? '', placeOfRefreshToken(jti))
      : await tokenState.isAccessTokenRevoked(jti, family);
  if (ended || (await isOfDeletedRegistration(claims, context))) {
    return { live: false, refused: oauthError(accessTokenRefusals.token_revoked), claims };
  }
  return { live: true, use, claims };
}

/** Whether the token belongs to a deleted registration. A client created later under that name gets new tokens. */
async function isOfDeletedRegistration(
  { client_id: clientId }: TokenClaims,
  { snapshot, store, clock }: ProtocolContext,
): Promise<boolean> {
  if (typeof clientId !== 'string') return false;
  if ((await findEffectiveClient(snapshot, store, clientId, clock.now())) !== undefined) return false;
  return store.tokenState.isAccessTokenRevoked('', familiesOfClient(clientId));
}

/** The rejection of a token that does not verify. */
export function problemOf(judged: TokenProblem): OAuthError {
  return 'at' in judged
    ? oauthError(accessTokenRefusals[`token_${judged.problem}`], { at: new Date(judged.at).toISOString() })
    : oauthError(accessTokenRefusals[`token_${judged.problem}`]);
}

/**
 * A token without token_use counts as an access token (UIN-05), unless its token_type is refresh or it looks like an ID
 * token (PCL-20).
 */
export function tokenUseOf({ claims, typ }: VerifiedToken): TokenUse {
  if (claims.token_use === 'id') return 'id';
  if (claims.token_use === 'refresh' || claims.token_type === 'refresh') return 'refresh';
  return claims.token_use === undefined && (isOtherType(typ) || marksOfIdToken.some((name) => name in claims))
    ? 'id'
    : 'access';
}

/** Claims that only a token about a login, or a logout, has. */
const marksOfIdToken = ['auth_time', 'at_hash', 'nonce', 'events'];

function isOtherType(typ: unknown): boolean {
  return typ !== undefined && String(typ).toUpperCase() !== 'JWT';
}

/** A token whose subject is its client belongs to the client, even when a user has the same name (CLM-17). */
export function isClientsOwn(claims: TokenClaims): boolean {
  return typeof claims.client_id === 'string' && claims.sub === claims.client_id;
}

/** The client and the user for an audit entry about the token. A client's own token has no user (AUD-12). */
export function partiesOf(claims: TokenClaims | undefined): {
  readonly username: string | undefined;
  readonly client_id: string | undefined;
} {
  const username =
    claims !== undefined && typeof claims.sub === 'string' && !isClientsOwn(claims) ? claims.sub : undefined;
  return { username, client_id: typeof claims?.client_id === 'string' ? claims.client_id : undefined };
}
