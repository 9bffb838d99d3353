// States: pending → consumed | expired | ended. A transaction is a validated request waiting for its login, bound to
// one browser; it yields at most one code (AUT-43 to AUT-47).
import type { Instant } from '#shared/clock.ts';
import type { AuthenticationMethod, AuthorizationRequest } from './authorization-request.ts';

export const transactionLifetimeSeconds = 600;
export const pendingTransactionsMax = 1000;
export const authorizationCodeLifetimeSeconds = 600;

export interface AuthorizationTransaction {
  readonly transaction_id: string;
  /** The browser's id from its signed cookie. */
  readonly browser: string;
  readonly request: AuthorizationRequest;
  /** The ten OAuth parameters as sent, for comparison with the query of a later POST (AUT-34). */
  readonly parameters: readonly (readonly [name: string, value: string])[];
  /** Made by a POST that still waits for a second factor; never counts as "the browser's pending request" (AUT-38). */
  readonly direct: boolean;
  readonly createdAt: Instant;
}

/** What a code stands for until it is redeemed. */
export interface AuthorizationCodeRecord {
  readonly code: string;
  readonly request: AuthorizationRequest;
  readonly username: string;
  readonly authenticatedAt: Instant;
  readonly method: AuthenticationMethod;
  /** `amr` was in effect at the login (CLM-26). */
  readonly amr: readonly string[] | undefined;
  readonly issuedAt: Instant;
}
