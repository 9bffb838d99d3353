import type { Instant } from '#shared/base/clock.ts';
import type { AuthorizationCodeRecord } from '#shared/model/domain/authorization-code.ts';
import type { AuthorizationTransaction, LoginProgress } from '#shared/model/domain/authorization-transaction.ts';
import type { LogIn } from './sessions.ts';

export interface CodeOptions {
  readonly holdDocument?: boolean;
  /** A login that begins or renews the session of the code, in the same step; its `sid` becomes that of the code. */
  readonly logIn?: LogIn | undefined;
}

/** `session_over`: the session that the code names ended meanwhile (SSO-07). */
export type CodeOutcome = 'client_not_held' | 'session_over';

export interface AuthorizationTransactions {
  /**
   * Stores a pending transaction of a client at an address. Where 1000 are there it takes the place of one that is not young by
   * both clocks, else of the oldest embedded one, else of one of the client that has most, or of the address that has most of this client's;
   * where that is its own the answer is `full` (AUT-45).
   */
  begin(transaction: AuthorizationTransaction, now: Instant, address?: string): Promise<'begun' | 'full'>;
  /** The pending transaction of that id and browser; undefined when unknown, expired, consumed or another browser's. */
  find(transactionId: string, browser: string, now: Instant): Promise<AuthorizationTransaction | undefined>;
  /** What a browser has pending, oldest first; `mayGoOnUnnamed` says which of them a request without id can mean. */
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
    options?: CodeOptions,
  ): Promise<'completed' | 'gone' | CodeOutcome>;
  /**
   * Keeps what was said so far, together with the login itself, and uses up its second factor: of several simultaneous
   * calls exactly one answers `advanced`, where all of them have seen the transaction as `seen`.
   */
  advance(
    seen: AuthorizationTransaction,
    step: { readonly progress: LoginProgress | undefined; readonly logIn?: LogIn | undefined },
    now: Instant,
  ): Promise<'advanced' | 'gone'>;
  /** Ends the transaction without a code. */
  end(transactionId: string, now: Instant): Promise<void>;
}
