import { expect } from 'chai';
import { machineMicroseconds } from '#shared/base/clock.ts';
import { verifies } from '#test/support/verifies.ts';

describe('the machine’s clock in microseconds', () => {
  verifies('REC-13', 'never returns the same value twice in a process, so that any two events have an order', () => {
    const moments = Array.from({ length: 10_000 }, () => machineMicroseconds());
    expect(new Set(moments).size).to.equal(moments.length);
    expect(moments.toSorted((one, other) => one - other)).to.deep.equal(moments);
  });
});
