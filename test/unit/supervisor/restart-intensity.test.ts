import { expect } from 'chai';
import type { Monotonic } from '#shared/base/clock.ts';
import { decideRestart, pauseAfterSilence, pauseBeforeMending } from '#supervisor/restart-intensity.ts';

const at = (milliseconds: number) => milliseconds as Monotonic;

/** Records deaths at the given moments. Returns the pauses, and `give up` where the decision is to give up. */
function pausesFor(deaths: readonly number[]): (number | 'give up')[] {
  let history: readonly Monotonic[] = [];
  return deaths.map((moment) => {
    const decision = decideRestart(history, at(moment));
    if (!decision.restart) return 'give up';
    history = decision.history;
    return decision.pauseMilliseconds;
  });
}

describe('restart intensity', () => {
  it('restarts at once first, then after growing pauses, and gives up at the sixth death within a minute', () => {
    expect(pausesFor([0, 1_000, 2_000, 3_000, 4_000, 59_999])).to.deep.equal([0, 100, 200, 400, 800, 'give up']);
  });

  it('ignores restarts that are a minute old', () => {
    expect(pausesFor([0, 1_000, 2_000, 3_000, 4_000, 60_000])).to.deep.equal([0, 100, 200, 400, 800, 800]);
    expect(pausesFor([0, 60_000, 120_000])).to.deep.equal([0, 0, 0]);
  });

  it('returns the same result for the same history', () => {
    const history = [at(0), at(10)];
    expect(decideRestart(history, at(20))).to.deep.equal(decideRestart(history, at(20)));
    expect(history).to.have.length(2);
  });

  it('pauses longer after each kill of a silent child, up to half a minute, and never gives up', () => {
    expect([0, 1, 2, 3, 4, 5, 6, 60].map(pauseAfterSilence)).to.deep.equal([
      0, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000,
    ]);
  });

  it('pauses longer after each start that could not use a file, up to ten seconds, and never gives up', () => {
    expect([0, 1, 2, 3, 4, 5, 60, 5_000].map(pauseBeforeMending)).to.deep.equal([
      500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000, 10_000,
    ]);
  });
});
