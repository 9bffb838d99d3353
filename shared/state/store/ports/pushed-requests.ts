import type { Instant } from '#shared/base/clock.ts';
import type { PushedRequest, PushedRequestBearer, PushedRequestWithheld } from '#shared/model/domain/pushed-request.ts';

/** Pushed authorization requests, until they are used or expired (RFC 9126). */
export interface PushedRequests {
  /** `full`: 1000 requests wait that are young by both clocks, and no other client has more of them. */
  push(request: PushedRequest, now: Instant): Promise<'pushed' | 'full'>;
  /** Returns the request without claiming it. */
  find(requestUri: string, now: Instant): Promise<PushedRequest | undefined>;
  /** Claims the request for the first browser that presents it. */
  redeem(requestUri: string, bearer: PushedRequestBearer, now: Instant): Promise<PushedRequest | PushedRequestWithheld>;
  /**
   * Returns true for the first of several callers that want to use it, also when that caller repeats the call. False
   * once it has expired.
   */
  use(requestUri: string, usedBy: string, now: Instant): Promise<boolean>;
}
