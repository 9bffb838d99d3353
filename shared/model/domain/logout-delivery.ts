// Notification of a session's end to a client (OpenID Connect Back-Channel Logout 1.0 §2.5) or, by SOAP, to a service
// provider. States: due → delivered | failed, or due again after a pause, until no attempts are left.
import type { Instant } from '#shared/base/clock.ts';
import { instant } from '#shared/base/clock.ts';
import type { ServiceProviderParticipant } from './session.ts';

export type LogoutDelivery = ClientDelivery | ServiceProviderDelivery;

interface Delivery {
  readonly id: string;
  readonly sid: string;
  readonly username: string;
  /** The issuer that the participant knows: the one in its tokens or assertions. */
  readonly issuer: string;
  /** The number of attempts. */
  readonly attempts: number;
}

export interface ClientDelivery extends Delivery {
  readonly kind: 'client';
  readonly client_id: string;
  /** The `jti` of the logout tokens, identical for every attempt (LGO-14). */
  readonly jti: string;
}

export interface ServiceProviderDelivery
  extends Delivery,
    Pick<ServiceProviderParticipant, 'kind' | 'entity_id' | 'name_id'> {
  readonly session_indexes: readonly string[];
  /** The ID of the LogoutRequest, identical for every attempt. */
  readonly request_id: string;
}

/** The result of an attempt. `status` undefined: no response. */
export interface DeliveryAnswer {
  readonly status: number | undefined;
  /** Why there was no valid response, as text for people. */
  readonly reason?: string | undefined;
  /** Whether a message of the participant confirmed it. undefined: the status decides. */
  readonly isConfirmed?: boolean | undefined;
}

type DeliveryVerdict =
  | { readonly outcome: 'delivered' }
  | { readonly outcome: 'failed' }
  | { readonly outcome: 'again'; readonly afterMilliseconds: number };

const firstPauseMilliseconds = 1000;

/** `attempts`: including the one that was just made (Back-Channel §2.8). */
export function judgeDelivery(
  { status, isConfirmed = defaultMeaning(status) }: DeliveryAnswer,
  attempts: number,
  retries: number,
): DeliveryVerdict {
  if (isConfirmed === true) return { outcome: 'delivered' };
  if (isConfirmed === false || attempts > retries) return { outcome: 'failed' };
  return { outcome: 'again', afterMilliseconds: firstPauseMilliseconds * 2 ** (attempts - 1) };
}

/** Whether the participant has confirmed it. */
export function isDelivered({ status, isConfirmed = defaultMeaning(status) }: DeliveryAnswer): boolean {
  return isConfirmed === true;
}

function defaultMeaning(status: number | undefined): boolean | undefined {
  if (status === 200 || status === 204) return true;
  return status === 400 ? false : undefined;
}

/** The end of the lease of a process on a delivery. After that, another process treats that process as dead. */
export function leaseEnd(real: Instant, timeoutMilliseconds: number): Instant {
  return instant(real + timeoutMilliseconds + leaseReserveMilliseconds);
}

const leaseReserveMilliseconds = 5_000;

/** Maximum pending deliveries in a namespace. Beyond it the oldest is given up. */
export const logoutDeliveriesMax = 20_000;
