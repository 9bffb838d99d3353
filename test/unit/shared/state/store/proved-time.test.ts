// The time that passed while a store was open, while the system clock moves forward and back.
import { expect } from 'chai';
import type { Monotonic, Stopwatch } from '#shared/base/clock.ts';
import { openProvedTime } from '#shared/state/store/proved-time.ts';
import { manualClock } from '#test/support/manual-clock.ts';

const stopwatchOf = (): Stopwatch & { elapsed: number } => {
  const watch = {
    elapsed: 0,
    read: () => watch.elapsed as Monotonic,
    since: (start: Monotonic) => watch.elapsed - start,
  };
  return watch;
};

describe('the elapsed time of a store', () => {
  it('uses the stopwatch if the system clock moves forward, and the system clock if that moves back', () => {
    const [real, stopwatch] = [manualClock(1_000_000), stopwatchOf()];
    const proved = openProvedTime(0, real, stopwatch);
    real.advance(9_000_000);
    stopwatch.elapsed = 500;
    expect(proved.now()).to.equal(1_000_500);
    real.advance(-9_500_000);
    expect(proved.now()).to.equal(500_000);
  });

  it('continues from the value of the previous process', () => {
    const stopwatch = stopwatchOf();
    const proved = openProvedTime(1_000_000, manualClock(99_000_000), stopwatch);
    expect(proved.toStore()).to.equal(undefined);
    stopwatch.elapsed = 10_000.5;
    expect(proved.toStore()).to.equal(1_010_000);
    expect(proved.toStore()).to.equal(undefined);
  });
});
