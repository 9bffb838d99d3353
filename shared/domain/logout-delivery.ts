// A logout token on its way to a client (OpenID Connect Back-Channel Logout 1.0 §2.5). States: due → told, refused, or due
// again after a pause, until nothing of it is left to try.
import type { Instant } from '#shared/clock.ts';
import { instant } from '#shared/clock.ts';

export interface LogoutDelivery {
  readonly id: string;
  readonly sid: string;
  readonly username: string;
  readonly client_id: string;
  /** Of the tokens, the same with every attempt (LGO-14). */
  readonly jti: string;
  readonly issuer: string;
  /** How often it was tried. */
  readonly attempts: number;
}

/** What an attempt met; `status` undefined: no answer. */
export interface DeliveryAnswer {
  readonly status: number | undefined;
  /** Why there was no answer that counts, in words for people. */
  readonly reason?: string | undefined;
}

export type DeliveryVerdict =
  | { readonly outcome: 'delivered' }
  | { readonly outcome: 'failed' }
  | { readonly outcome: 'again'; readonly afterMilliseconds: number };

const firstPauseMilliseconds = 1000;

/** `attempts`: the one that was just made included (Back-Channel §2.8). */
export function judgeDelivery({ status }: DeliveryAnswer, attempts: number, retries: number): DeliveryVerdict {
  if (status === 200 || status === 204) return { outcome: 'delivered' };
  if (status === 400 || attempts > retries) return { outcome: 'failed' };
  return { outcome: 'again', afterMilliseconds: firstPauseMilliseconds * 2 ** (attempts - 1) };
}

/** Until when whoever takes a delivery up has it for itself; after that, another process believes it dead. */
export function leaseEnd(real: Instant, timeoutMilliseconds: number): Instant {
  return instant(real + timeoutMilliseconds + leaseReserveMilliseconds);
}

const leaseReserveMilliseconds = 5_000;

/** Deliveries under way in a namespace; beyond that the oldest is given up. */
export const logoutDeliveriesMax = 20_000;
