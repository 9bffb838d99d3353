import type { Instant } from '#shared/clock.ts';
import type { AuthorizationCodeRecord } from '#shared/domain/authorization-code.ts';
import type { AuthorizationTransaction } from '#shared/domain/authorization-transaction.ts';

export interface AuthorizationTransactions {
  /**
   * Stores a pending transaction; where 1000 are pending it takes the place of the oldest embedded one, and without any the
   * answer is `full` (AUT-45).
   */
  begin(transaction: AuthorizationTransaction, now: Instant): Promise<'begun' | 'full'>;
  /** The pending transaction of that id and browser; undefined when unknown, expired, consumed or another browser's. */
  find(transactionId: string, browser: string, now: Instant): Promise<AuthorizationTransaction | undefined>;
  /** The pending, non-direct transactions of a browser, oldest first (at most two are needed to tell one from several). */
  pendingOf(browser: string, now: Instant): Promise<readonly AuthorizationTransaction[]>;
  /**
   * Consumes the transaction with the second factor that waits for it, and stores its code, in one step: of several
   * simultaneous calls exactly one answers `completed` (AUT-44). `gone`: unknown, expired, consumed, or another browser's. For a metadata-document client the
   * document is held until the code's time is over; `client_not_held` when it is no longer cached (CMD-16).
   */
  complete(
    transactionId: string,
    browser: string,
    code: AuthorizationCodeRecord,
    now: Instant,
    options?: { readonly holdDocument?: boolean },
  ): Promise<'completed' | 'gone' | 'client_not_held'>;
  /** Ends the transaction without a code. */
  end(transactionId: string, now: Instant): Promise<void>;
}

export interface CodeRedemption {
  /** `used` before: the tokens of the first use are revoked in the same step (GRT-09, D36). */
  readonly outcome: 'redeemed' | 'used' | 'unknown';
}

export interface FoundCode {
  readonly client_id: string;
  readonly username: string;
  readonly unused: AuthorizationCodeRecord | undefined;
}

export interface AuthorizationCodes {
  /** A code outside a stored transaction: a direct POST or auto-login (AUT-30, AUT-37). */
  issue(
    code: AuthorizationCodeRecord,
    now: Instant,
    options?: { readonly holdDocument?: boolean },
  ): Promise<'issued' | 'client_not_held'>;
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
  ): Promise<CodeRedemption>;
}
