// Heavy work shares no turn of the event loop, in the order it came.
import { expect } from 'chai';
import { ownTurnIfLate, turnIfLate, yieldAlone } from '#shared/base/scheduling/event-loop-turns.ts';
import { verifies } from '#test/support/verifies.ts';

describe('a turn of its own', () => {
  /** The number of the present turn, counted by immediates. */
  function countTurns() {
    let turn = 0;
    let over = false;
    const next = () => {
      turn += 1;
      if (!over) setImmediate(next);
    };
    setImmediate(next);
    return { now: () => turn, stop: () => (over = true) };
  }
  const spend = (milliseconds: number) => {
    const until = performance.now() + milliseconds;
    while (performance.now() < until);
  };

  verifies('SUP-16', 'is had by one piece of heavy work at a time, in the order they came', async () => {
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
    // Between two of them is room for a small request: its connection, its reading, its answer.
    for (const [index, turn] of had.slice(1).entries()) expect(turn - Number(had[index])).to.be.at.least(32);
  });

  it('is shared by those that waited as long as it has time, in the order they came', async () => {
    await new Promise((resolve) => setImmediate(resolve));
    const turns = countTurns();
    const order: number[] = [];
    // Each in a callback of its own, as bodies arrive.
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
    // The first finds a young turn; those behind it have one each.
    expect(new Set(heavy.slice(1)).size).to.equal(4);
    spend(25);
    const light = await Promise.all(Array.from({ length: 200 }, (_, index) => piece(5 + index, 0)));
    turns.stop();
    expect(order).to.deep.equal(Array.from({ length: 205 }, (_, number) => number));
    expect(new Set(light).size, 'turns for 200 light pieces').to.be.below(100);
  });

  verifies('SUP-16', 'is waited for only where others have spent the present one', async () => {
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
