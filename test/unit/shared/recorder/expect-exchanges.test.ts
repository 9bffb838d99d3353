// What an expectation answers is of one moment, whatever is recorded while it looks (REC-24, REC-27).
import { expect } from 'chai';
import { systemStopwatch } from '#shared/clock.ts';
import { expectationModel, expectExchanges } from '#shared/recorder/expect-exchanges.ts';
import { verifies } from '#test/support/verifies.ts';

const moment = { stopwatch: systemStopwatch, realNow: () => 0, wait: async () => true };

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
});
