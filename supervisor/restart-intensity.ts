// Pure: may a worker that died be replaced, and after which pause (SUP-05, SUP-07)? As in OTP, an intensity (so many
// restarts) over a period; one history a worker, so that a worker that dies often does not use up its siblings' restarts.
import type { Monotonic } from '#shared/clock.ts';

export const restartsMax = 5;
export const periodMilliseconds = 60_000;

const firstPauseMilliseconds = 100;
const pauseMillisecondsMax = 5_000;

export type RestartDecision =
  | { readonly restart: true; readonly pauseMilliseconds: number; readonly history: readonly Monotonic[] }
  | { readonly restart: false };

/** `history`: when this worker was replaced before. The first replacement comes at once, the next ones after pauses. */
export function decideRestart(history: readonly Monotonic[], now: Monotonic): RestartDecision {
  const recent = history.filter((moment) => now - moment < periodMilliseconds);
  if (recent.length >= restartsMax) return { restart: false };
  const pauseMilliseconds =
    recent.length === 0 ? 0 : Math.min(firstPauseMilliseconds * 2 ** (recent.length - 1), pauseMillisecondsMax);
  return { restart: true, pauseMilliseconds, history: [...recent, now] };
}
