// A fixed window in which requests are counted (HDR-14). It opens with the first request and closes after its duration.
import { type Instant, plusSeconds } from '#shared/base/clock.ts';

interface RateWindow {
  readonly startedAt: Instant;
  readonly endsAt: Instant;
  readonly requests: number;
}

type Counted =
  /** Within the limit: the current window. */
  | { readonly window: RateWindow }
  /** Beyond the limit: the request is not counted. Retry after this many seconds. */
  | { readonly retryAfterSeconds: number };

/** A window that begins later than now (the clock was moved back) is ignored. */
export function countRequest(
  window: RateWindow | undefined,
  limit: number,
  windowSeconds: number,
  now: Instant,
): Counted {
  if (window === undefined || now < window.startedAt || now >= window.endsAt) {
    return { window: { startedAt: now, endsAt: plusSeconds(now, windowSeconds), requests: 1 } };
  }
  if (window.requests < limit) return { window: { ...window, requests: window.requests + 1 } };
  return { retryAfterSeconds: Math.max(1, Math.ceil((window.endsAt - now) / 1000)) };
}
