// The offset of the server's clock, measured with slow responses.
import { expect } from 'chai';
import { instant, type Monotonic } from '#shared/base/clock.ts';
import { openServerClock } from '#shared/state/store/postgres/server-clock.ts';
import { silentLogger } from '#test/support/silent-logger.ts';
import { verifies } from '#test/support/verifies.ts';

describe('the clock offset of the server', () => {
  /** The machine's clock, in milliseconds. The server's clock is `ahead` of it. */
  let now: number;
  let ahead: number;
  let queries: number;
  let clock: ReturnType<typeof openServerClock>;

  beforeEach(() => {
    now = 1_000_000;
    ahead = 300_000;
    queries = 0;
    const stopwatch = { read: () => now as Monotonic, since: (start: number) => now - start };
    clock = openServerClock({ now: () => instant(now) }, stopwatch, silentLogger());
  });

  /** The travel times of each query and its response, in order. */
  const measure = (...ways: readonly (readonly [there: number, back: number])[]) => {
    let turn = 0;
    return clock.measure({
      ask: async () => {
        const [there, back] = ways[turn] ?? ways.at(-1) ?? [0, 0];
        turn += 1;
        queries += 1;
        now += there;
        const rows = [{ now: now + ahead }];
        now += back;
        return { rows, count: 1 };
      },
    });
  };

  verifies('CLU-23', 'is measured again while the responses are inexact, and the most exact one counts', async () => {
    await measure([0, 800], [10, 400], [1, 1], [0, 700]);
    expect(queries).to.equal(3);
    expect(clock.distanceMilliseconds).to.be.closeTo(ahead, 1);
  });

  verifies('CLU-23', 'is not changed by a slow response, unless that proves another offset', async () => {
    await measure([1, 1]);
    await measure([0, 900]);
    expect(queries).to.equal(2);
    expect(clock.distanceMilliseconds).to.be.closeTo(ahead, 1);
    ahead += 5_000;
    await measure([0, 900], [2, 2]);
    expect(queries).to.equal(4);
    expect(clock.distanceMilliseconds).to.be.closeTo(ahead, 1);
  });

  verifies('CLU-23', 'is the range on which several inexact responses agree', async () => {
    await measure([0, 300], [300, 0]);
    expect(clock.distanceMilliseconds).to.be.closeTo(ahead, 1);
  });

  verifies('CLU-23', 'follows a drift, even if every response takes equally long', async () => {
    await measure([20, 20]);
    expect(clock.distanceMilliseconds).to.equal(ahead);
    for (let minutes = 0; minutes < 60; minutes += 1) {
      now += 60_000;
      ahead += 4;
      await measure([20, 20]);
    }
    expect(clock.distanceMilliseconds).to.be.closeTo(ahead, 10);
    expect(queries).to.be.below(125);
  });

  it('is unknown without a response', async () => {
    await clock.measure({ ask: async () => ({ rows: [], count: 0 }) });
    expect(clock.distanceMilliseconds).to.equal(undefined);
  });
});
