// Pure: may a worker that died be replaced, and after which pause (SUP-05, SUP-07)? As in OTP, an intensity (so many
// restarts) over a period; one history a worker, so that a worker that dies often does not use up its siblings' restarts.
// A worker that was killed for its silence is no crash: load can do that, and giving up would cost everything that lives in
// the memory store. Those kills have a count of their own, which only makes the pauses longer (SUP-17). Nor is a replacement
// that cannot use a file: it is tried again until a person has mended the file.
import type { Monotonic } from '#shared/base/clock.ts';

export const restartsMax = 5;
export const periodMilliseconds = 60_000;

const firstPauseMilliseconds = 100;
const pauseMillisecondsMax = 5_000;

type RestartDecision =
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

const firstPauseAfterSilenceMilliseconds = 1_000;
const pauseAfterSilenceMillisecondsMax = 30_000;
/** A worker that answered for so long is not silent again but silent for the first time. */
export const soundMilliseconds = 60_000;

/** `inARow`: how often this worker was killed for its silence before, with no sound minute in between. */
export function pauseAfterSilence(inARow: number): number {
  return inARow === 0
    ? 0
    : Math.min(firstPauseAfterSilenceMilliseconds * 2 ** (inARow - 1), pauseAfterSilenceMillisecondsMax);
}

const firstPauseBeforeMendingMilliseconds = 500;
/** A person who has mended the file waits no longer than this. */
const pauseBeforeMendingMillisecondsMax = 10_000;

/** `inARow`: how often replacements of this worker could not use a file before, with none that served in between. */
export function pauseBeforeMending(inARow: number): number {
  return Math.min(firstPauseBeforeMendingMilliseconds * 2 ** inARow, pauseBeforeMendingMillisecondsMax);
}
