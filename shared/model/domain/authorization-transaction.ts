// States: pending → consumed | expired | ended. A transaction is a validated request that waits for its login, bound to
// one browser. It yields at most one code (AUT-43 to AUT-47).
import { type Instant, plusSeconds } from '#shared/base/clock.ts';
import type { OwnClaims } from '#shared/model/configuration/claims.ts';
import type { AuthenticationMethod, AuthorizationRequest } from './authorization-request.ts';
import { isSameIdentity } from './runtime-identity.ts';

export const transactionLifetimeSeconds = 600;
export const pendingTransactionsMax = 1000;

export interface AuthorizationTransaction {
  readonly transaction_id: string;
  /** The browser's id from its signed cookie. */
  readonly browser: string;
  readonly request: AuthorizationRequest;
  /** `instance_id` of the client, if it was a runtime client when the request was accepted. */
  readonly clientInstance?: string | undefined;
  /** The ten OAuth parameters as sent, to compare them with the query of a later POST (AUT-34). */
  readonly parameters: readonly (readonly [name: string, value: string])[];
  /**
   * Created by a POST that still waits, mostly for a second factor. It does not affect the browser's pending requests
   * (AUT-38).
   */
  readonly direct: boolean;
  /** A browser loaded it inside a page of another site, where no user sees a login. It is evicted first (AUT-45). */
  readonly embedded: boolean;
  readonly createdAt: Instant;
  /** Present once a user has logged in or chosen an account and a further question is open. */
  readonly progress?: LoginProgress | undefined;
}

/** Who will get the code, as far as it is known while questions are open (SSO-12, SSO-35). */
export interface LoginProgress {
  readonly username: string;
  readonly method: AuthenticationMethod;
  readonly authenticatedAt: Instant;
  readonly amr: readonly string[] | undefined;
  /** Absent: sessions are off. */
  readonly sid?: string | undefined;
  /** By a login for this request, not by a previous session. */
  readonly loggedIn: boolean;
  /** The user chose the account. */
  readonly chosen: boolean;
  /** Waits for a code, and only the session `sid` has proved the password (SSO-32). */
  readonly codeAlone?: boolean | undefined;
  /** Typed for this login only (PCL-18). Absent: none. */
  readonly claims?: OwnClaims | undefined;
}

/** The moment from which it is expired. */
export function endOfTransaction({ createdAt }: Pick<AuthorizationTransaction, 'createdAt'>): Instant {
  return plusSeconds(createdAt, transactionLifetimeSeconds);
}

/** Whether another transaction may begin while this many are pending (AUT-45). */
export function mayBeginTransaction(pending: number): boolean {
  return pending < pendingTransactionsMax;
}

/** Whether it is pending and belongs to this browser. */
export function isPendingFor(transaction: AuthorizationTransaction, browser: string, now: Instant): boolean {
  return transaction.browser === browser && now < endOfTransaction(transaction);
}

/**
 * The browser's pending transactions that a request without a transaction id can mean (AUT-39, AUT-40). A direct one
 * that waits for its second factor is pending, too. It counts only if the browser has none that began with a GET.
 */
export function continuableWithoutId(
  pending: readonly AuthorizationTransaction[],
): readonly AuthorizationTransaction[] {
  const begunByGet = pending.filter(({ direct }) => !direct);
  return begunByGet.length > 0 ? begunByGet : pending;
}

/**
 * Whether the client that has the name now is the one whose request was accepted. `instanceId`: that of a runtime
 * client.
 */
export function isClientOf({ clientInstance }: AuthorizationTransaction, instanceId: string | undefined): boolean {
  return isSameIdentity(clientInstance, instanceId);
}

/**
 * Whether the transaction yields its code. `isClientHeld`: the client's metadata document is cached, or it needs none
 * (CMD-16).
 */
export function completeTransaction(
  transaction: AuthorizationTransaction | undefined,
  browser: string,
  isClientHeld: boolean,
  now: Instant,
): 'completed' | 'gone' | 'client_not_held' {
  if (transaction === undefined || !isPendingFor(transaction, browser, now)) return 'gone';
  return isClientHeld ? 'completed' : 'client_not_held';
}
