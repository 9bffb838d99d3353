// The reading order of exchanges that several processes wrote in batches (REC-13).
import { expect } from 'chai';
import { byRequestTime } from '#shared/state/store/postgres/exchanges/by-request-time.ts';

const ordered = (...moments: number[]) => byRequestTime(moments.map((at) => ({ at }))).map(({ at }) => at);

describe('exchanges of several processes on PostgreSQL', () => {
  it('are in the order of their requests if one batch was written after the other', () => {
    expect(ordered(0, 40, 90, 20, 50, 100)).to.deep.equal([0, 20, 40, 50, 90, 100]);
    expect(
      byRequestTime([
        { at: 5, id: 1 },
        { at: 5, id: 2 },
      ]).map(({ id }) => id),
    ).to.deep.equal([1, 2]);
  });

  it('stay in the written order if a clock was set back in between', () => {
    expect(ordered(5000, 5010, 0, 20, 10)).to.deep.equal([5000, 5010, 0, 10, 20]);
  });
});
