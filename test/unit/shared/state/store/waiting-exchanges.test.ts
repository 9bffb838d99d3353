// What happens to exchanges whose write was started but failed.
import { expect } from 'chai';
import type { Instant } from '#shared/base/clock.ts';
import type { NamespaceKey } from '#shared/state/store/namespace-id.ts';
import { WaitingExchanges } from '#shared/state/store/waiting-exchanges.ts';
import { verifies } from '#test/support/verifies.ts';
import { newExchange } from '../../../../contract/parts/exchanges.ts';

describe('waiting exchanges', () => {
  const ns = '' as NamespaceKey;
  const at = 0 as Instant;
  let waiting: WaitingExchanges;
  beforeEach(() => {
    waiting = new WaitingExchanges();
  });
  const add = () => waiting.add(ns, newExchange({ repeatKey: 'key', at }));

  verifies('REC-10', 'are repeated again after they were put back', () => {
    add();
    const taken = waiting.take(10);
    expect(waiting.repeats(ns, 'key', at)).to.equal(false);
    waiting.putBack(taken);
    for (let times = 0; times < 4; times += 1) expect(waiting.repeats(ns, 'key', at)).to.equal(true);
    expect(waiting.take(10).map(({ times }) => times)).to.deep.equal([5]);
  });

  verifies('REC-12', 'are no longer repeated after they are lost', () => {
    add();
    waiting.loseOldest(10);
    expect(waiting.repeats(ns, 'key', at)).to.equal(false);
    expect([waiting.size, waiting.lostOf(ns)]).to.deep.equal([0, 1]);
  });

  verifies('REC-12', 'beyond two thousand are lost, and each repetition counts', () => {
    for (let number = 0; number < 2000; number += 1) waiting.add(ns, newExchange());
    for (let times = 0; times < 7; times += 1) add();
    expect([waiting.size, waiting.lostOf(ns)]).to.deep.equal([2000, 7]);
  });
});
