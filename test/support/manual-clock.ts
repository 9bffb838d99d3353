import { type Clock, instant } from '#shared/base/clock.ts';

/** A clock that stands still until it is moved. */
export function manualClock(startMilliseconds: number): Clock & { advance(milliseconds: number): void } {
  let current = startMilliseconds;
  return {
    now: () => instant(current),
    advance: (milliseconds) => {
      current += milliseconds;
    },
  };
}
