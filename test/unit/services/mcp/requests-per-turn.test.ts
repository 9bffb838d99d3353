import { expect } from 'chai';
import { admitPerTurn } from '#services/mcp/requests-per-turn.ts';

describe('the limiter of /mcp', () => {
  it('admits a few requests in each event-loop turn, in order, until all are handled', async () => {
    const pass = admitPerTurn(2);
    const passed: number[] = [];
    for (let n = 0; n < 5; n += 1) void pass().then(() => passed.push(n));
    const seen: number[] = [];
    for (let turn = 0; turn < 4; turn += 1) {
      await Promise.resolve();
      seen.push(passed.length);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(seen).to.deep.equal([2, 4, 5, 5]);
    expect(passed).to.deep.equal([0, 1, 2, 3, 4]);
    void pass().then(() => passed.push(5));
    await Promise.resolve();
    expect(passed).to.have.length(6);
  });
});
