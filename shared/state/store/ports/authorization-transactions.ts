import type { Instant } from '#shared/base/clock.ts';
import type { AuthorizationCodeRecord } from '#shared/model/domain/authorization-code.ts';
import type { AuthorizationTransaction, LoginProgress } from '#shared/model/domain/authorization-transaction.ts';
import type { LogIn } from './sessions.ts';

export interface CodeOptions {
  readonly holdDocument?: boolean;
  /** A login that begins or renews the session of the code in the same step. The code gets its `sid`. */
  readonly logIn?: LogIn | undefined;
}

/** `session_over`: the session that the code names has ended (SSO-07). */
export type CodeOutcome = 'client_not_held' | 'session_over';

export interface AuthorizationTransactions {
  /**
   * Stores a pending transaction for a client and an address (AUT-45). When 1000 are stored, it replaces the first of
   * these that exists:
   * - a transaction that is not young by both clocks,
   * - the oldest embedded one,
   * - one of the client with the most transactions, unless that is the caller's client,
   * - one of the address with the most transactions of the caller's client.
   * @returns `full` when that address is the caller's own.
   */
  begin(transaction: AuthorizationTransaction, now: Instant, address?: string): Promise<'begun' | 'full'>;
  /**
   * Returns the browser's pending transaction with this id. undefined: unknown, expired, consumed or another browser's.
   */
  find(transactionId: string, browser: string, now: Instant): Promise<AuthorizationTransaction | undefined>;
  /**
   * Returns the browser's pending transactions, oldest first. `continuableWithoutId` decides which of them a request without
   * id can mean.
   */
  pendingOf(browser: string, now: Instant): Promise<readonly AuthorizationTransaction[]>;
  /**
   * Consumes the transaction with its pending second factor and stores its code, in one step. Of several simultaneous
   * calls exactly one returns `completed` (AUT-44). `gone`: unknown, expired, consumed, or another browser's. For a
   * metadata-document client the document is held until the code expires. `client_not_held`: the document is no longer
   * cached (CMD-16).
   */
  complete(
    transactionId: string,
    browser: string,
    code: AuthorizationCodeRecord,
    now: Instant,
    options?: CodeOptions,
  ): Promise<'completed' | 'gone' | CodeOutcome>;
  /**
   * Stores the progress of the login together with the login itself, and uses up its second factor. Of several
   * simultaneous calls that have all read the transaction as `seen`, exactly one returns `advanced`.
   */
  advance(
    expected: AuthorizationTransaction,
    step: { readonly progress: LoginProgress | undefined; readonly logIn?: LogIn | undefined },
    now: Instant,
  ): Promise<'advanced' | 'gone'>;
  /** Ends the transaction without a code. */
  end(transactionId: string, now: Instant): Promise<void>;
}
