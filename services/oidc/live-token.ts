// Is a presented token alive? Verified by signature and time, then looked up among the revoked and the spent ones.
// /userinfo, /introspect and /revoke ask; what a live token is good for is theirs to decide.
import { placeOfRefreshToken } from '#shared/domain/refresh-family.ts';
import type { RequestContext } from '#shared/http/request.ts';
import { tokenFamilyOf, verifyToken } from '#shared/issuing/verify-token.ts';

export type TokenClaims = Readonly<Record<string, unknown>>;

export type TokenUse = 'access' | 'id' | 'refresh';

export type LiveToken =
  | { readonly live: true; readonly use: TokenUse; readonly claims: TokenClaims }
  /** `claims` is there when the token verified and was refused for another reason. */
  | { readonly live: false; readonly reason: string; readonly claims?: TokenClaims };

export async function findLiveToken(token: string | undefined, context: RequestContext): Promise<LiveToken> {
  if (token === undefined) return { live: false, reason: 'No token was sent' };
  const now = context.clock.now();
  const verified = await verifyToken(token, { keys: context.keys, now });
  if (verified === undefined)
    return { live: false, reason: 'The token is malformed, expired or not signed by this server' };
  const { claims } = verified;
  const use = tokenUseOf(claims);
  if (use === 'id') return { live: true, use, claims };
  const family = tokenFamilyOf(claims);
  const jti = typeof claims.jti === 'string' ? claims.jti : '';
  const { tokenState } = context.store;
  const ended =
    use === 'refresh'
      ? await tokenState.isRefreshTokenSpentOrRevoked(family ?? '', placeOfRefreshToken(jti))
      : await tokenState.isAccessTokenRevoked(jti, family);
  if (ended) return { live: false, reason: 'The token was revoked or already used', claims };
  return { live: true, use, claims };
}

/** A token without token_use counts as an access token (UIN-05), unless its token_type says refresh. */
export function tokenUseOf(claims: TokenClaims): TokenUse {
  if (claims.token_use === 'id') return 'id';
  return claims.token_use === 'refresh' || claims.token_type === 'refresh' ? 'refresh' : 'access';
}

/** A token whose subject is its client is the client's own, even when a user bears that name (CLM-17). */
export function isClientsOwn(claims: TokenClaims): boolean {
  return typeof claims.client_id === 'string' && claims.sub === claims.client_id;
}

/** Whom an audit entry about the token names: its client, and its user unless it is the client's own (AUD-12). */
export function partiesOf(claims: TokenClaims | undefined): {
  readonly username: string | undefined;
  readonly client_id: string | undefined;
} {
  const username =
    claims !== undefined && typeof claims.sub === 'string' && !isClientsOwn(claims) ? claims.sub : undefined;
  return { username, client_id: typeof claims?.client_id === 'string' ? claims.client_id : undefined };
}
