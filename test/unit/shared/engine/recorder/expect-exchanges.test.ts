// What an expectation answers is of one moment, whatever is recorded while it looks (REC-24, REC-27).
import { expect } from 'chai';
import { type Monotonic, systemStopwatch } from '#shared/base/clock.ts';
import { watchOf } from '#shared/engine/recorder/exchange-watch.ts';
import { expectationModel, expectExchanges } from '#shared/engine/recorder/expect-exchanges.ts';
import type { CountedExchange } from '#shared/state/store/ports/index.ts';
import { verifies } from '#test/support/verifies.ts';

const moment = {
  ...{ stopwatch: systemStopwatch, realNow: () => 0, wait: async () => true },
  disconnected: new AbortController().signal,
};
const counted = { clientId: undefined, username: undefined, status: 200, grantType: undefined, repeated: 1 };
const arrived = (id: number): CountedExchange => ({ ...counted, id, endpoint: 'token' });

const nothingRecorded = {
  takeWait: async () => 'place',
  giveWait: async (_place: string) => undefined,
  list: async () => ({ exchanges: [], cursor: 0 }),
  newest: async () => 0,
  arrivals: async (_after: number): Promise<CountedExchange[]> => [],
  count: async () => 0,
};

describe('an expectation', () => {
  verifies(['REC-24', 'REC-27'], 'passes nothing with its cursor that it did not count', async () => {
    // One exchange more is recorded between any two looks.
    let recorded = 0;
    const exchanges = {
      takeWait: async () => 'place',
      giveWait: async () => undefined,
      list: async () => {
        recorded += 1;
        return { exchanges: [], cursor: recorded };
      },
      newest: async () => {
        recorded += 1;
        return recorded;
      },
      arrivals: async (after: number) => {
        recorded += 1;
        return Array.from({ length: recorded - after }, (_, index) => arrived(after + 1 + index));
      },
      count: async ({ after = 0, upTo }: { after?: number | undefined; upTo?: number | undefined }) => {
        recorded += 1;
        return Math.max(0, Math.min(upTo ?? recorded, recorded) - after);
      },
    };
    for (const expected of [{ at_least: 3 }, { count: 0 }, { at_least: 10_000 }]) {
      const fulfilment = await expectExchanges(
        expectationModel.parse({ endpoint: 'token', within_seconds: 0, ...expected }),
        { ...moment, store: { exchanges }, isRecorderOn: () => true },
      );
      if (typeof fulfilment === 'string') throw new Error(fulfilment);
      expect(fulfilment.count, JSON.stringify(expected)).to.equal(fulfilment.cursor);
    }
  });

  verifies('REC-29', 'ends when the recorder is switched off, and gives its place back', async () => {
    const given: string[] = [];
    const exchanges = {
      takeWait: async () => 'place',
      giveWait: async (place: string) => void given.push(place),
      list: async () => ({ exchanges: [], cursor: 0 }),
      newest: async () => 0,
      arrivals: async () => [],
      count: async () => 0,
    };
    const answers = [true, true, false];
    for (const expected of [{ at_least: 1 }, { count: 0 }]) {
      const left = [...answers];
      const fulfilment = await expectExchanges(
        expectationModel.parse({ endpoint: 'token', within_seconds: 60, ...expected }),
        { ...moment, store: { exchanges }, isRecorderOn: () => left.shift() ?? true },
      );
      expect(fulfilment).to.equal('recorder_off');
    }
    expect(given).to.deep.equal(['place', 'place']);
  });

  it('ends when its client is gone, and gives its place back', async () => {
    const given: string[] = [];
    const client = new AbortController();
    const fulfilment = expectExchanges(expectationModel.parse({ endpoint: 'token', at_least: 1, within_seconds: 60 }), {
      ...{ ...moment, disconnected: client.signal, isRecorderOn: () => true },
      wait: async () => {
        client.abort();
        return true;
      },
      store: { exchanges: { ...nothingRecorded, giveWait: async (place: string) => void given.push(place) } },
    });
    expect(await fulfilment).to.equal('expect_cut_short');
    expect(given).to.deep.equal(['place']);
  });

  it('looks for all that wait with one query', async () => {
    let now = 0;
    let looks = 0;
    const recorded = [arrived(1)];
    const exchanges = {
      ...nothingRecorded,
      newest: async () => recorded.length,
      arrivals: async (after: number) => {
        looks += 1;
        return recorded.filter(({ id }) => id > after);
      },
    };
    const stopwatch = { read: () => now as Monotonic, since: (start: Monotonic) => now - start };
    const waiting = await Promise.all(
      [{}, { clientId: 'web' }, { username: 'alice' }, { after: 2 }, { status: 400 }].map((filter) =>
        watchOf(exchanges, stopwatch).begin({ endpoint: 'token', ...filter }),
      ),
    );
    const counts = () => Promise.all(waiting.map((each) => each.goOn()));
    expect(await counts()).to.deep.equal([0, 0, 0, 0, 0]);
    recorded.push({ ...arrived(2), clientId: 'web' }, { ...arrived(3), username: 'alice', repeated: 2 });
    expect(await counts(), 'of the same look').to.deep.equal([0, 0, 0, 0, 0]);
    now += 100;
    expect(await counts()).to.deep.equal([3, 1, 2, 2, 0]);
    now += 100;
    expect(await counts()).to.deep.equal([3, 1, 2, 2, 0]);
    expect(looks).to.equal(3);
    for (const each of waiting) each.end();
  });
});
