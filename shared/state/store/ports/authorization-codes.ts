import type { Instant } from '#shared/base/clock.ts';
import type { OwnClaims } from '#shared/model/configuration/claims.ts';
import type { AuthorizationCodeRecord } from '#shared/model/domain/authorization-code.ts';
import type { CodeOptions, CodeOutcome } from './authorization-transactions.ts';

interface CodeRedemption {
  /**
   * `used` before: the tokens of the first use are revoked in the same step (GRT-09, D36). `session_over`: the session it was
   * given in has ended, and the code stays as it is (SSO-07).
   */
  readonly outcome: 'redeemed' | 'used' | 'unknown' | 'session_over';
}

/** What goes along with a redemption. */
interface OriginOfCode {
  /** The session of the code, in which the client takes part from now on, as one who knows this issuer. */
  readonly session?:
    | {
        readonly sid: string;
        readonly issuer: string;
        /** Whether the code is worth something without it. */
        readonly mayBeOver: boolean;
      }
    | undefined;
  /** Typed for the login of the code: kept under the name of the family in the same step (PCL-18). */
  readonly claims?: OwnClaims | undefined;
}

interface FoundCode {
  readonly client_id: string;
  readonly username: string;
  readonly unused: AuthorizationCodeRecord | undefined;
}

export interface AuthorizationCodes {
  /** A code outside a stored transaction: a direct POST or auto-login (AUT-30, AUT-37). */
  issue(code: AuthorizationCodeRecord, now: Instant, options?: CodeOptions): Promise<'issued' | CodeOutcome>;
  /** The code while its time (600 s) is not over; what it stands for is kept until it is used. */
  find(code: string, now: Instant): Promise<FoundCode | undefined>;
  /**
   * Redeems at most once. `tokenFamily` is the family of the tokens about to be made: it is remembered, so that a
   * second redemption revokes them (access tokens included); `tokensExpireAt`: when the last of them is over by itself.
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
