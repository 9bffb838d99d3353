// The value that every grant produces and from which tokens are made: who, for which client, with what scope.
import type { Instant } from '#shared/base/clock.ts';
import type { OwnClaims } from '#shared/model/configuration/claims.ts';
import type { Client } from '#shared/model/configuration/client-entry.ts';
import type { User } from '#shared/model/configuration/user-entry.ts';
import type { RequestedClaims } from '#shared/model/domain/authorization-request.ts';
import type { RefreshTokenPlace } from '#shared/model/domain/refresh-family.ts';

export interface UserAuthorization {
  readonly user: User;
  /** undefined: a token made without a client (REST, MCP); it then has no client_id and no refresh token. */
  readonly client: Client | undefined;
  /** `instance_id` of both, where they are runtime objects: a refresh token serves nobody who is created again by their names (RUN-14). */
  readonly userInstance?: string | undefined;
  readonly clientInstance?: string | undefined;
  /** Scope of this answer's tokens; empty: none granted. */
  readonly scope: readonly string[];
  /** Resources of this answer's access token; empty: oauth.audience. */
  readonly resource: readonly string[];
  readonly claims: RequestedClaims;
  /** Claims typed for this one login (PCL-18). */
  readonly login?: OwnClaims | undefined;
  /** When the end user authenticated (CLM-24). */
  readonly authenticatedAt: Instant;
  readonly amr: readonly string[] | undefined;
  /** The session of the login and its authentication context, in ID tokens alone (SSO-13, SSO-14); absent: there is none. */
  readonly sid?: string | undefined;
  readonly acr?: string | undefined;
  /** Only on the answer to the authorization request itself, never on refresh (CLM-23). */
  readonly nonce: string | undefined;
  /** The thumbprint of the key that the tokens are bound to (RFC 9449 §6); absent: whoever holds them may use them. */
  readonly boundKey?: string | undefined;
  /** Name of the grant (rt_family of refresh tokens, prefix of the access tokens' jti). */
  readonly family: string;
  /** What a new refresh token carries, where it differs from this answer (REF-10, RES-09); absent: no refresh token. */
  readonly refresh:
    | {
        readonly scope: readonly string[];
        readonly resource: readonly string[];
        /** The next of a line that is rotated; absent: the first of a new line. */
        readonly place?: RefreshTokenPlace | undefined;
      }
    | undefined;
}

export interface ClientAuthorization {
  readonly client: Client;
  readonly scope: readonly string[];
  readonly resource: readonly string[];
  readonly boundKey?: string | undefined;
}

export interface TokenOptions {
  /**
   * Lifetime of access and ID token in minutes, in place of oauth.token_expiry_minutes (TOK-07). Negative, for a test
   * token: they ran out so many minutes ago, after the configured lifetime.
   */
  readonly lifetimeMinutes: number | undefined;
  /** `nbf` of both, in seconds since the epoch, in place of `iat`: for a test token that does not count yet. */
  readonly notBefore?: number | undefined;
  /** Checked extra claims of the access token (see extra-claims.ts). */
  readonly extra: Readonly<Record<string, unknown>>;
}

/** The members of a successful token response (TOK-18 to TOK-20). */
export interface TokenSet {
  readonly access_token: string;
  readonly token_type: 'Bearer' | 'DPoP';
  readonly expires_in: number;
  readonly scope?: string;
  readonly id_token?: string;
  readonly refresh_token?: string;
}
