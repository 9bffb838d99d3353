import type { Instant } from '#shared/base/clock.ts';
import type { PushedRequest, PushedRequestBearer, PushedRequestWithheld } from '#shared/model/domain/pushed-request.ts';

/** Authorization requests that were pushed, until they are answered or over (RFC 9126). */
export interface PushedRequests {
  /** `full`: 1000 wait that are young by both clocks, and no other client has more of them. */
  push(request: PushedRequest, now: Instant): Promise<'pushed' | 'full'>;
  /** Looks, and takes nothing up. */
  find(requestUri: string, now: Instant): Promise<PushedRequest | undefined>;
  /** The first browser that brings it has it from then on. */
  take(requestUri: string, bearer: PushedRequestBearer, now: Instant): Promise<PushedRequest | PushedRequestWithheld>;
  /** Of several that want to answer it the first one gets true, as often as it asks; false once it is over. */
  use(requestUri: string, usedBy: string, now: Instant): Promise<boolean>;
}
