// How far real time is proved to have passed: by what processes measured while they had the store open, not by the
// system clock. Revocations must not expire because a system clock was set forward for a while.
import { type Clock, type Instant, instant, type Stopwatch } from '#shared/base/clock.ts';

const storedEveryMilliseconds = 10_000;

export interface ProvedTime {
  /** Returns the time up to which token state may be deleted. Never later than the system clock. */
  now(): Instant;
  /** Returns the value to store. undefined while the stored value is recent enough. */
  toStore(): Instant | undefined;
}

/**
 * `stored`: the value that the last process stored, 0 in a new store. Time during which no process had the store open
 * proves nothing.
 */
export function openProvedTime(stored: number, realClock: Clock, stopwatch: Stopwatch): ProvedTime {
  const start = stopwatch.read();
  const base = stored === 0 ? realClock.now() : stored;
  const measured = () => instant(base + Math.floor(stopwatch.since(start)));
  let last: number = base;
  return {
    now: () => instant(Math.min(realClock.now(), measured())),
    toStore: () => {
      const moment = measured();
      if (moment - last < storedEveryMilliseconds) return undefined;
      last = moment;
      return moment;
    },
  };
}
