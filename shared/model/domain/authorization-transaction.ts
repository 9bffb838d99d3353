// States: pending → consumed | expired | ended. A transaction is a validated request waiting for its login, bound to
// one browser; it yields at most one code (AUT-43 to AUT-47).
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
  /** `instance_id` of the client, where it was a runtime client when the request was accepted. */
  readonly clientInstance?: string | undefined;
  /** The ten OAuth parameters as sent, for comparison with the query of a later POST (AUT-34). */
  readonly parameters: readonly (readonly [name: string, value: string])[];
  /** Made by a POST that still waits, mostly for a second factor; it leaves the pending requests of its browser alone (AUT-38). */
  readonly direct: boolean;
  /** A browser loaded it inside a page of another site, where nobody sees a login; the first to make room (AUT-45). */
  readonly embedded: boolean;
  readonly createdAt: Instant;
  /** There once somebody has logged in or chosen an account, and something is still to be asked. */
  readonly progress?: LoginProgress | undefined;
}

/** Who is to get the code, as far as is known before everything was asked (SSO-12, SSO-35). */
export interface LoginProgress {
  readonly username: string;
  readonly method: AuthenticationMethod;
  readonly authenticatedAt: Instant;
  readonly amr: readonly string[] | undefined;
  /** Absent: sessions are off. */
  readonly sid?: string | undefined;
  /** By a login for this very request, not by a session of before. */
  readonly loggedIn: boolean;
  /** The account was chosen by the person. */
  readonly chosen: boolean;
  /** A code is waited for, and nothing but the session `sid` has proved the password (SSO-32). */
  readonly codeAlone?: boolean | undefined;
  /** Typed for this login alone (PCL-18); absent: none. */
  readonly claims?: OwnClaims | undefined;
}

/** The moment from which it is expired. */
export function endOfTransaction({ createdAt }: Pick<AuthorizationTransaction, 'createdAt'>): Instant {
  return plusSeconds(createdAt, transactionLifetimeSeconds);
}

/** Whether another may begin beside so many that are pending (AUT-45). */
export function mayBeginTransaction(pending: number): boolean {
  return pending < pendingTransactionsMax;
}

/** Pending, and this browser's. */
export function isPendingFor(transaction: AuthorizationTransaction, browser: string, now: Instant): boolean {
  return transaction.browser === browser && now < endOfTransaction(transaction);
}

/**
 * Which of those that a browser has pending a request can mean that names none (AUT-39, AUT-40). A direct one that waits for
 * its second factor is pending, too, but leaves alone what the browser has begun by a GET, so it counts where there is none.
 */
export function mayGoOnUnnamed(pending: readonly AuthorizationTransaction[]): readonly AuthorizationTransaction[] {
  const begunByGet = pending.filter(({ direct }) => !direct);
  return begunByGet.length > 0 ? begunByGet : pending;
}

/** Whether the client that bears the name now is the one whose request was accepted. `instanceId`: of a runtime client. */
export function isClientOf({ clientInstance }: AuthorizationTransaction, instanceId: string | undefined): boolean {
  return isSameIdentity(clientInstance, instanceId);
}

/** Whether the transaction yields its code; `isClientHeld`: its client's document is there, or it needs none (CMD-16). */
export function completeTransaction(
  transaction: AuthorizationTransaction | undefined,
  browser: string,
  isClientHeld: boolean,
  now: Instant,
): 'completed' | 'gone' | 'client_not_held' {
  if (transaction === undefined || !isPendingFor(transaction, browser, now)) return 'gone';
  return isClientHeld ? 'completed' : 'client_not_held';
}
