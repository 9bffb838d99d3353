// The end of a session on its way to a client (OpenID Connect Back-Channel Logout 1.0 §2.5) or, by SOAP, to a service provider.
// States: due → told, refused, or due again after a pause, until nothing of it is left to try.
import type { Instant } from '#shared/base/clock.ts';
import { instant } from '#shared/base/clock.ts';
import type { ServiceProviderParticipant } from './session.ts';

export type LogoutDelivery = ClientDelivery | ServiceProviderDelivery;

interface Delivery {
  readonly id: string;
  readonly sid: string;
  readonly username: string;
  /** As the one told knows us: of its tokens, or of its assertions. */
  readonly issuer: string;
  /** How often it was tried. */
  readonly attempts: number;
}

export interface ClientDelivery extends Delivery {
  readonly kind: 'client';
  readonly client_id: string;
  /** The `jti` of the logout tokens, the same with every attempt (LGO-14). */
  readonly jti: string;
}

export interface ServiceProviderDelivery
  extends Delivery,
    Pick<ServiceProviderParticipant, 'kind' | 'entity_id' | 'name_id'> {
  readonly session_indexes: readonly string[];
  /** The ID of the LogoutRequest, the same with every attempt. */
  readonly request_id: string;
}

/** What an attempt met; `status` undefined: no answer. */
export interface DeliveryAnswer {
  readonly status: number | undefined;
  /** Why there was no answer that counts, in words for people. */
  readonly reason?: string | undefined;
  /** Whether a message of the participant's own confirmed it; undefined: the status tells. */
  readonly isConfirmed?: boolean | undefined;
}

type DeliveryVerdict =
  | { readonly outcome: 'delivered' }
  | { readonly outcome: 'failed' }
  | { readonly outcome: 'again'; readonly afterMilliseconds: number };

const firstPauseMilliseconds = 1000;

/** `attempts`: the one that was just made included (Back-Channel §2.8). */
export function judgeDelivery(
  { status, isConfirmed = defaultMeaning(status) }: DeliveryAnswer,
  attempts: number,
  retries: number,
): DeliveryVerdict {
  if (isConfirmed === true) return { outcome: 'delivered' };
  if (isConfirmed === false || attempts > retries) return { outcome: 'failed' };
  return { outcome: 'again', afterMilliseconds: firstPauseMilliseconds * 2 ** (attempts - 1) };
}

/** Whether whoever was told has confirmed it. */
export function isDelivered({ status, isConfirmed = defaultMeaning(status) }: DeliveryAnswer): boolean {
  return isConfirmed === true;
}

function defaultMeaning(status: number | undefined): boolean | undefined {
  if (status === 200 || status === 204) return true;
  return status === 400 ? false : undefined;
}

/** The end of the time for which a process has a delivery that it takes up; after that, another process believes it dead. */
export function leaseEnd(real: Instant, timeoutMilliseconds: number): Instant {
  return instant(real + timeoutMilliseconds + leaseReserveMilliseconds);
}

const leaseReserveMilliseconds = 5_000;

/** Deliveries under way in a namespace; beyond that the oldest is given up. */
export const logoutDeliveriesMax = 20_000;
