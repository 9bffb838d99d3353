// States: pushed → taken → used | expired. An authorization request that its client sent to /par before any browser brings it
// (RFC 9126): the first browser that does has it from then on, and it yields one answer.
import { type Instant, plusSeconds } from '#shared/base/clock.ts';
import { isSameIdentity } from './runtime-identity.ts';

/** How every `request_uri` of /par begins (RFC 9126 §2.2). */
export const pushedRequestPrefix = 'urn:ietf:params:oauth:request_uri:';
/** How long a browser may take to bring it. */
export const pushedRequestSeconds = 60;
/** How long it may be. */
export const pushedRequestBytesMax = 16 * 1024;
/** Waiting in a namespace; those that were used do not count. */
export const waitingRequestsMax = 1000;
/** As long as the login that it begins may take: until then the browser may load its address again. */
export const takenRequestSeconds = 600;

export interface PushedRequest {
  readonly request_uri: string;
  readonly client_id: string;
  /** `instance_id` of the client, where it was a runtime client. */
  readonly clientInstance?: string | undefined;
  /** All that count; nothing by which the client proved who it is. */
  readonly parameters: readonly (readonly [name: string, value: string])[];
  readonly expiresAt: Instant;
  /** Of the browser that has it. */
  readonly browser?: string | undefined;
  /** What yields its answer; the same may ask again. */
  readonly usedBy?: string | undefined;
}

/** Who brings a request to /authorize. */
export interface PushedRequestBearer {
  readonly client_id: string;
  readonly clientInstance: string | undefined;
  readonly browser: string;
}

/** Whether another may be pushed beside so many that wait. */
export function mayPushRequest(waiting: number): boolean {
  return waiting < waitingRequestsMax;
}

export function endOfPushedRequest(now: Instant): Instant {
  return plusSeconds(now, pushedRequestSeconds);
}

/** Why a browser does not get one; what is over is soon unknown. */
export type PushedRequestWithheld = 'unknown' | 'used' | 'of_another_client' | 'of_another_browser';

/** The request as it is when this browser has brought it. */
export function takePushedRequest(
  pushed: PushedRequest | undefined,
  { client_id, clientInstance, browser }: PushedRequestBearer,
  now: Instant,
): PushedRequest | PushedRequestWithheld {
  if (pushed === undefined || now >= pushed.expiresAt) return 'unknown';
  if (pushed.client_id !== client_id || !isSameIdentity(pushed.clientInstance, clientInstance)) {
    return 'of_another_client';
  }
  if (pushed.usedBy !== undefined) return 'used';
  if (pushed.browser === undefined) return { ...pushed, browser, expiresAt: plusSeconds(now, takenRequestSeconds) };
  return pushed.browser === browser ? pushed : 'of_another_browser';
}

/** The request as it is once its answer is `usedBy`'s to give; undefined: it is another's, or over. */
export function usePushedRequest(
  pushed: PushedRequest | undefined,
  usedBy: string,
  now: Instant,
): PushedRequest | undefined {
  if (pushed === undefined || now >= pushed.expiresAt) return undefined;
  if (pushed.usedBy !== undefined) return pushed.usedBy === usedBy ? pushed : undefined;
  // What it asked for is never read again.
  return { ...pushed, usedBy, parameters: [] };
}
