// Reads the claims of a verified refresh token (CLM-30, CLM-31) into the values for a refresh. It rejects other tokens:
// only a refresh token has `refresh` in both token_type and token_use (REF-03).
import { type Instant, instant } from '#shared/base/clock.ts';
import {
  boundKeyOf,
  clientInstanceClaim,
  requestedIdTokenClaim,
  requestedUserinfoClaim,
  userInstanceClaim,
} from '#shared/engine/tokens/token-claims.ts';
import type { RequestedClaims } from '#shared/model/domain/authorization-request.ts';
import { parseScope } from '#shared/model/oauth-rules/scope.ts';

export interface RefreshToken {
  readonly jti: string;
  readonly family: string;
  readonly clientId: string;
  readonly username: string;
  /** `instance_id` of client and user, if they were runtime objects at issuance (RUN-14). */
  readonly clientInstance: string | undefined;
  readonly userInstance: string | undefined;
  readonly audience: unknown;
  readonly scope: readonly string[];
  readonly resource: readonly string[];
  readonly claims: RequestedClaims;
  readonly authenticatedAt: Instant;
  readonly amr: readonly string[] | undefined;
  readonly acr: string | undefined;
  readonly sid: string | undefined;
  /** The thumbprint of the key that the client has to prove with it. */
  readonly boundKey: string | undefined;
  readonly expiresAt: Instant;
}

type Claims = Readonly<Record<string, unknown>>;

type NotRefreshable = 'not_a_refresh_token' | 'refresh_token_without_client' | 'refresh_token_incomplete';

/** The token, or the code of the rejection. */
export function readRefreshToken(claims: Claims, now: Instant): RefreshToken | NotRefreshable {
  if (claims.token_type !== 'refresh' || claims.token_use !== 'refresh') return 'not_a_refresh_token';
  const clientId = text(claims.client_id);
  if (clientId === undefined) return 'refresh_token_without_client';
  const jti = text(claims.jti);
  const family = text(claims.rt_family);
  const username = text(claims.sub);
  if (jti === undefined || family === undefined || username === undefined) return 'refresh_token_incomplete';
  return {
    jti,
    family,
    clientId,
    username,
    clientInstance: text(claims[clientInstanceClaim]),
    userInstance: text(claims[userInstanceClaim]),
    audience: claims.aud,
    scope: parseScope(text(claims.scope) ?? ''),
    resource: texts(claims.resource) ?? [],
    claims: {
      id_token: texts(claims[requestedIdTokenClaim]) ?? [],
      userinfo: texts(claims[requestedUserinfoClaim]) ?? [],
    },
    authenticatedAt: seconds(claims.auth_time) ?? now,
    amr: texts(claims.amr),
    acr: text(claims.acr),
    sid: text(claims.sid),
    boundKey: boundKeyOf(claims),
    expiresAt: seconds(claims.exp) ?? now,
  };
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function texts(value: unknown): readonly string[] | undefined {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.filter((entry): entry is string => typeof entry === 'string') : undefined;
}

function seconds(value: unknown): Instant | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? instant(value * 1000) : undefined;
}
