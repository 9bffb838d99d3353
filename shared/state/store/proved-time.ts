// How far real time is proved to have come: by what processes measured while they had the store open, not by what the system clock
// says. What revocations are remembered by must not pass because a system clock was set forward for a while.
import { type Clock, type Instant, instant, type Stopwatch } from '#shared/base/clock.ts';

const storedEveryMilliseconds = 10_000;

export interface ProvedTime {
  /** The moment up to which a memory may be deleted; never later than the system clock. */
  now(): Instant;
  /** What the store should hold; undefined while it holds nearly that. */
  toStore(): Instant | undefined;
}

/** `stored`: as the last process left it; 0 in a new store. Time in which nobody had the store open proves nothing. */
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
