// A fixed window in which requests are counted (HDR-14): it opens with the first request and closes by its own time.
import { type Instant, plusSeconds } from '#shared/base/clock.ts';

interface RateWindow {
  readonly startedAt: Instant;
  readonly endsAt: Instant;
  readonly requests: number;
}

type Counted =
  /** Within the limit: the window as it is now. */
  | { readonly window: RateWindow }
  /** Beyond it: nothing is counted, and another try makes sense after so many seconds. */
  | { readonly retryAfterSeconds: number };

/** A window that begins later than now (the clock went back) counts as none. */
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
