// States: issued → used. Both expire after the lifetime of the code. A used code is kept until then. So a second redemption differs from
// an unknown code, and revokes what the first redemption issued (GRT-09, D36).
import { type Instant, plusSeconds } from '#shared/base/clock.ts';
import type { OwnClaims } from '#shared/model/configuration/claims.ts';
import type { AuthenticationMethod, AuthorizationRequest } from './authorization-request.ts';

/** The longest lifetime of a code, and the default (AUT-32, CLS-K06). */
export const authorizationCodeSecondsMax = 600;

/** The data of a code until it is redeemed. */
export interface AuthorizationCodeRecord {
  readonly code: string;
  readonly request: AuthorizationRequest;
  /** `instance_id` of the client and of the user, if they were runtime objects when the code was issued (RUN-14). */
  readonly clientInstance?: string | undefined;
  readonly userInstance?: string | undefined;
  readonly username: string;
  readonly authenticatedAt: Instant;
  readonly method: AuthenticationMethod;
  /** `amr` was in effect at the login (CLM-26). */
  readonly amr: readonly string[] | undefined;
  /** The session in which it was issued (SSO-14). Absent: sessions are off. */
  readonly sid?: string | undefined;
  /** The authentication context for the ID token (SSO-29, SSO-31). */
  readonly acr?: string | undefined;
  /** Typed for this login only (PCL-18). Absent: none. */
  readonly claims?: OwnClaims | undefined;
  readonly issuedAt: Instant;
  /** Its lifetime in seconds. Absent: the longest. */
  readonly lifetime?: number | undefined;
}

/** A code as it is stored. */
export interface StoredCode {
  readonly clientId: string;
  /** The family of the tokens of its first use. undefined: not used yet. */
  readonly tokenFamily: string | undefined;
  readonly expiresAt: Instant;
}

type Redemption =
  | { readonly outcome: 'unknown' }
  /** The tokens of the first use are revoked in the same step, including access tokens. */
  | { readonly outcome: 'used'; readonly revoke: string }
  | { readonly outcome: 'redeemed'; readonly code: StoredCode };

export function endOfCode({ issuedAt, lifetime }: Pick<AuthorizationCodeRecord, 'issuedAt' | 'lifetime'>): Instant {
  return plusSeconds(issuedAt, lifetime ?? authorizationCodeSecondsMax);
}

export function isCodeLive({ expiresAt }: Pick<StoredCode, 'expiresAt'>, now: Instant): boolean {
  return now < expiresAt;
}

/** A code belongs to its client. An attempt of another client counts as one with an unknown code. */
export function redeemCode(
  code: StoredCode | undefined,
  clientId: string,
  tokenFamily: string,
  now: Instant,
): Redemption {
  if (code === undefined || code.clientId !== clientId || !isCodeLive(code, now)) return { outcome: 'unknown' };
  if (code.tokenFamily !== undefined) return { outcome: 'used', revoke: code.tokenFamily };
  return { outcome: 'redeemed', code: { ...code, tokenFamily } };
}
