// The value that every grant produces and from which tokens are made: user, client and scope.
import type { Instant } from '#shared/base/clock.ts';
import type { OwnClaims } from '#shared/model/configuration/claims.ts';
import type { Client } from '#shared/model/configuration/client-entry.ts';
import type { User } from '#shared/model/configuration/user-entry.ts';
import type { RequestedClaims } from '#shared/model/domain/authorization-request.ts';
import type { RefreshTokenPlace } from '#shared/model/domain/refresh-family.ts';
import type { TestTokenChanges } from './claim-changes.ts';

export interface UserAuthorization {
  readonly user: User;
  /** undefined: a token made without a client (REST, MCP); it then has no client_id and no refresh token. */
  readonly client: Client | undefined;
  /**
   * `instance_id` of both, if they are runtime objects: a refresh token is invalid for a new object with the same name
   * (RUN-14).
   */
  readonly userInstance?: string | undefined;
  readonly clientInstance?: string | undefined;
  /** Scope of this response's tokens; empty: none granted. */
  readonly scope: readonly string[];
  /** Resources of this response's access token; empty: oauth.audience. */
  readonly resource: readonly string[];
  readonly claims: RequestedClaims;
  /** Claims typed for this one login (PCL-18). */
  readonly login?: OwnClaims | undefined;
  /** When the end user authenticated (CLM-24). */
  readonly authenticatedAt: Instant;
  readonly amr: readonly string[] | undefined;
  /**
   * The session of the login and its authentication context, only in ID tokens (SSO-13, SSO-14); absent: none exists.
   */
  readonly sid?: string | undefined;
  readonly acr?: string | undefined;
  /** Only in the response to the authorization request itself, never on refresh (CLM-23). */
  readonly nonce: string | undefined;
  /** The thumbprint of the key that the tokens are bound to (RFC 9449 §6); absent: bearer tokens. */
  readonly boundKey?: string | undefined;
  /** Name of the grant (rt_family of refresh tokens, prefix of the access tokens' jti). */
  readonly family: string;
  /**
   * The contents of a new refresh token, where they differ from this response (REF-10, RES-09); absent: no refresh
   * token.
   */
  readonly refresh:
    | {
        readonly scope: readonly string[];
        readonly resource: readonly string[];
        /** The next place in a rotated line of refresh tokens; absent: the first of a new line. */
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
   * Lifetime of access and ID token in minutes, in place of the configured ones (TOK-07). Negative, for a test
   * token: they expired this many minutes ago, after the configured lifetime.
   */
  readonly lifetimeMinutes: number | undefined;
  /** `nbf` of both, in seconds since the epoch, in place of `iat`: for a test token that is not valid yet. */
  readonly notBefore?: number | undefined;
  /** Checked extra claims of the access token (see extra-claims.ts). */
  readonly extra: Readonly<Record<string, unknown>>;
  /** Of a test token only (see claim-changes.ts). */
  readonly changes?: TestTokenChanges | undefined;
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
