import { type Clock, instant } from '#shared/base/clock.ts';

/** A clock that only moves when the test moves it. */
export function manualClock(startMilliseconds: number): Clock & { advance(milliseconds: number): void } {
  let current = startMilliseconds;
  return {
    now: () => instant(current),
    advance: (milliseconds) => {
      current += milliseconds;
    },
  };
}
