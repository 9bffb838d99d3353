// Each piece of heavy work has an event-loop turn of its own, in the order of arrival.
import { expect } from 'chai';
import { ownTurnIfLate, turnIfLate, yieldAlone } from '#shared/base/scheduling/event-loop-turns.ts';
import { verifies } from '#test/support/verifies.ts';

describe('a turn of its own', () => {
  /** The number of the current turn, counted with setImmediate. */
  function countTurns() {
    let turn = 0;
    let isStopped = false;
    const next = () => {
      turn += 1;
      if (!isStopped) setImmediate(next);
    };
    setImmediate(next);
    return { now: () => turn, stop: () => (isStopped = true) };
  }
  const spend = (milliseconds: number) => {
    const until = performance.now() + milliseconds;
    while (performance.now() < until);
  };

  verifies('SUP-16', 'is given to one piece of heavy work at a time, in the order of arrival', async () => {
    const turns = countTurns();
    const order: number[] = [];
    const had = await Promise.all(
      [0, 1, 2, 3].map(async (number) => {
        await yieldAlone();
        order.push(number);
        return turns.now();
      }),
    );
    turns.stop();
    expect(order).to.deep.equal([0, 1, 2, 3]);
    // Enough turns in between for a small request: its connection, its parsing, its response.
    for (const [index, turn] of had.slice(1).entries()) expect(turn - Number(had[index])).to.be.at.least(32);
  });

  it('is shared by waiting pieces of work while there is time left, in the order of arrival', async () => {
    await new Promise((resolve) => setImmediate(resolve));
    const turns = countTurns();
    const order: number[] = [];
    // Each in its own callback, as request bodies arrive.
    const piece = (number: number, milliseconds: number) =>
      new Promise<number>((resolve) => {
        setImmediate(async () => {
          await turnIfLate();
          order.push(number);
          spend(milliseconds);
          resolve(turns.now());
        });
      });
    const heavy = await Promise.all([0, 1, 2, 3, 4].map((number) => piece(number, 25)));
    // The first piece finds a turn with time left. Each of the following gets its own.
    expect(new Set(heavy.slice(1)).size).to.equal(4);
    spend(25);
    const light = await Promise.all(Array.from({ length: 200 }, (_, index) => piece(5 + index, 0)));
    turns.stop();
    expect(order).to.deep.equal(Array.from({ length: 205 }, (_, number) => number));
    expect(new Set(light).size, 'turns for 200 light pieces').to.be.below(100);
  });

  verifies('SUP-16', 'is only awaited if other work has used up the current one', async () => {
    await new Promise((resolve) => setImmediate(resolve));
    const turns = countTurns();
    await ownTurnIfLate();
    await ownTurnIfLate();
    expect(turns.now()).to.equal(0);
    spend(30);
    await ownTurnIfLate();
    expect(turns.now()).to.be.above(0);
    turns.stop();
  });
});
