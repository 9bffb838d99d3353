// The distance to the server's clock, measured by answers that take their time.
import { expect } from 'chai';
import { instant, type Monotonic } from '#shared/base/clock.ts';
import { openServerClock } from '#shared/state/store/postgres/server-clock.ts';
import { silentLogger } from '#test/support/silent-logger.ts';
import { verifies } from '#test/support/verifies.ts';

describe('the clock of the server', () => {
  /** The machine's clock, in milliseconds; the server's is `ahead` of it. */
  let now: number;
  let ahead: number;
  let asked: number;
  let clock: ReturnType<typeof openServerClock>;

  beforeEach(() => {
    now = 1_000_000;
    ahead = 300_000;
    asked = 0;
    const stopwatch = { read: () => now as Monotonic, since: (start: number) => now - start };
    clock = openServerClock({ now: () => instant(now) }, stopwatch, silentLogger());
  });

  /** The answers take so long there and so long back, one after the other. */
  const measure = (...ways: readonly (readonly [there: number, back: number])[]) => {
    let turn = 0;
    return clock.measure({
      ask: async () => {
        const [there, back] = ways[turn] ?? ways.at(-1) ?? [0, 0];
        turn += 1;
        asked += 1;
        now += there;
        const rows = [{ now: now + ahead }];
        now += back;
        return { rows, count: 1 };
      },
    });
  };

  verifies('CLU-23', 'is asked again while its answers say little, and the most exact one counts', async () => {
    await measure([0, 800], [10, 400], [1, 1], [0, 700]);
    expect(asked).to.equal(3);
    expect(clock.distanceMilliseconds).to.be.closeTo(ahead, 1);
  });

  verifies('CLU-23', 'is not told anew by an answer that took long, unless that shows another distance', async () => {
    await measure([1, 1]);
    await measure([0, 900]);
    expect(asked).to.equal(2);
    expect(clock.distanceMilliseconds).to.be.closeTo(ahead, 1);
    ahead += 5_000;
    await measure([0, 900], [2, 2]);
    expect(asked).to.equal(4);
    expect(clock.distanceMilliseconds).to.be.closeTo(ahead, 1);
  });

  verifies('CLU-23', 'is what several inexact answers agree on', async () => {
    await measure([0, 300], [300, 0]);
    expect(clock.distanceMilliseconds).to.be.closeTo(ahead, 1);
  });

  verifies('CLU-23', 'is followed as it drifts, where every answer takes as long', async () => {
    await measure([20, 20]);
    expect(clock.distanceMilliseconds).to.equal(ahead);
    for (let minutes = 0; minutes < 60; minutes += 1) {
      now += 60_000;
      ahead += 4;
      await measure([20, 20]);
    }
    expect(clock.distanceMilliseconds).to.be.closeTo(ahead, 10);
    expect(asked).to.be.below(125);
  });

  it('that says nothing is no clock', async () => {
    await clock.measure({ ask: async () => ({ rows: [], count: 0 }) });
    expect(clock.distanceMilliseconds).to.equal(undefined);
  });
});
