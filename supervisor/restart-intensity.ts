// Pure: whether a worker that died may be replaced, and after which pause (SUP-05, SUP-07). As in OTP, the limit is a
// number of restarts within a period. Each worker has its own history, so that a worker that dies often does not use up
// its siblings' restarts. A worker that was killed because it did not respond has not crashed: load can cause that, and
// giving up would lose everything in the memory store. Those kills are counted separately and only make the pauses
// longer (SUP-17). A replacement that cannot use a file does not count either. It is retried until a person has
// corrected the file.
import type { Monotonic } from '#shared/base/clock.ts';

export const restartsMax = 5;
export const periodMilliseconds = 60_000;

const firstPauseMilliseconds = 100;
const pauseMillisecondsMax = 5_000;

type RestartDecision =
  | { readonly restart: true; readonly pauseMilliseconds: number; readonly history: readonly Monotonic[] }
  | { readonly restart: false };

/**
 * `history`: when this worker was replaced before. The first replacement starts at once, the next ones after pauses.
 */
export function decideRestart(history: readonly Monotonic[], now: Monotonic): RestartDecision {
  const recent = history.filter((moment) => now - moment < periodMilliseconds);
  if (recent.length >= restartsMax) return { restart: false };
  const pauseMilliseconds =
    recent.length === 0 ? 0 : Math.min(firstPauseMilliseconds * 2 ** (recent.length - 1), pauseMillisecondsMax);
  return { restart: true, pauseMilliseconds, history: [...recent, now] };
}

const firstPauseAfterSilenceMilliseconds = 1_000;
const pauseAfterSilenceMillisecondsMax = 30_000;
/** After responding for this long, a worker's next silence counts as its first. */
export const healthyAfterMilliseconds = 60_000;

/**
 * `inARow`: how often this worker was killed before because it did not respond, without a responsive minute in between.
 */
export function pauseAfterSilence(inARow: number): number {
  return inARow === 0
    ? 0
    : Math.min(firstPauseAfterSilenceMilliseconds * 2 ** (inARow - 1), pauseAfterSilenceMillisecondsMax);
}

const firstPauseBeforeMendingMilliseconds = 500;
/** A person who has corrected the file waits no longer than this. */
const pauseBeforeMendingMillisecondsMax = 10_000;

/** `inARow`: how often replacements of this worker could not use a file before, without one that served in between. */
export function pauseBeforeMending(inARow: number): number {
  return Math.min(firstPauseBeforeMendingMilliseconds * 2 ** inARow, pauseBeforeMendingMillisecondsMax);
}
