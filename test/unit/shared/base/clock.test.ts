import { expect } from 'chai';
import { machineMicroseconds } from '#shared/base/clock.ts';
import { verifies } from '#test/support/verifies.ts';

describe('the microseconds of the machine', () => {
  verifies('REC-13', 'are never the same twice in a process, so that two events within one have an order', () => {
    const moments = Array.from({ length: 10_000 }, () => machineMicroseconds());
    expect(new Set(moments).size).to.equal(moments.length);
    expect(moments.toSorted((one, other) => one - other)).to.deep.equal(moments);
  });
});
