// States: pushed → taken → used | expired. An authorization request that its client sent to /par before a browser
// presents it (RFC 9126). It is bound to the first browser that presents it, and yields one response.
import { type Instant, plusSeconds } from '#shared/base/clock.ts';
import { isSameIdentity } from './runtime-identity.ts';

/** The prefix of every `request_uri` of /par (RFC 9126 §2.2). */
export const pushedRequestPrefix = 'urn:ietf:params:oauth:request_uri:';
/** How long a browser has to present it. */
export const pushedRequestSeconds = 60;
/** The largest request. */
export const pushedRequestBytesMax = 16 * 1024;
/** Maximum waiting in a namespace. Used ones do not count. */
export const waitingRequestsMax = 1000;
/** As long as the login that it begins may take. Until then the browser may load its address again. */
export const takenRequestSeconds = 600;

export interface PushedRequest {
  readonly request_uri: string;
  readonly client_id: string;
  /** `instance_id` of the client, if it was a runtime client. */
  readonly clientInstance?: string | undefined;
  /** All parameters that count, without the client's credentials. */
  readonly parameters: readonly (readonly [name: string, value: string])[];
  readonly expiresAt: Instant;
  /** The browser that presented it. */
  readonly browser?: string | undefined;
  /** Identifies what yields its response. The same one may request it again. */
  readonly usedBy?: string | undefined;
}

/** The browser and client that present a request to /authorize. */
export interface PushedRequestBearer {
  readonly client_id: string;
  readonly clientInstance: string | undefined;
  readonly browser: string;
}

/** Whether another may be pushed while this many wait. */
export function mayPushRequest(waiting: number): boolean {
  return waiting < waitingRequestsMax;
}

export function endOfPushedRequest(now: Instant): Instant {
  return plusSeconds(now, pushedRequestSeconds);
}

/** Why a browser does not get a request. An expired one soon counts as unknown. */
export type PushedRequestWithheld = 'unknown' | 'used' | 'of_another_client' | 'of_another_browser';

/** The request after this browser has presented it. */
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

/** The request once `usedBy` may yield its response. undefined: another one may, or it has expired. */
export function usePushedRequest(
  pushed: PushedRequest | undefined,
  usedBy: string,
  now: Instant,
): PushedRequest | undefined {
  if (pushed === undefined || now >= pushed.expiresAt) return undefined;
  if (pushed.usedBy !== undefined) return pushed.usedBy === usedBy ? pushed : undefined;
  // The parameters are never read again.
  return { ...pushed, usedBy, parameters: [] };
}
