import type { Instant } from '#shared/base/clock.ts';
import type { OwnClaims } from '#shared/model/configuration/claims.ts';
import type { AuthorizationCodeRecord } from '#shared/model/domain/authorization-code.ts';
import type { CodeOptions, CodeOutcome } from './authorization-transactions.ts';

interface CodeRedemption {
  /**
   * `used`: the code was redeemed before, and the tokens of the first use are revoked in the same step (GRT-09, D36).
   * `session_over`: the session of the code has ended, and the code stays unchanged (SSO-07).
   */
  readonly outcome: 'redeemed' | 'used' | 'unknown' | 'session_over';
}

/** What a redemption stores in addition to the code's use. */
interface OriginOfCode {
  /** The session of the code. The client becomes a participant that knows this issuer. */
  readonly session?:
    | {
        readonly sid: string;
        readonly issuer: string;
        /** Whether the code is valid without the session. */
        readonly mayBeOver: boolean;
      }
    | undefined;
  /** Claims typed for the login of the code, stored under the name of the token family in the same step (PCL-18). */
  readonly claims?: OwnClaims | undefined;
}

interface FoundCode {
  readonly client_id: string;
  readonly username: string;
  readonly unused: AuthorizationCodeRecord | undefined;
}

export interface AuthorizationCodes {
  /** Stores a code outside a stored transaction: a direct POST or auto-login (AUT-30, AUT-37). */
  issue(code: AuthorizationCodeRecord, now: Instant, options?: CodeOptions): Promise<'issued' | CodeOutcome>;
  /** Returns the code until it expires. Its data is stored until it is used. */
  find(code: string, now: Instant): Promise<FoundCode | undefined>;
  /**
   * Redeems a code at most once. `tokenFamily` is the family of the tokens about to be issued. It is stored, so that a
   * second redemption revokes them, access tokens included. `tokensExpireAt` is when the last of them expires.
   */
  redeem(
    code: string,
    clientId: string,
    tokenFamily: string,
    now: Instant,
    tokensExpireAt?: Instant,
    of?: OriginOfCode,
  ): Promise<CodeRedemption>;
}
