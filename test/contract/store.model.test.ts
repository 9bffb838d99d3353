// Random sequences of steps on the real store and on a reference model of a few maps, for both lifetimes. A failing run
// prints its seed and the shortest sequence that shows it; MODEL_SEED repeats it, MODEL_RUNS does more.
import fc from 'fast-check';
import { openEmptyFileStore, openEmptyMemoryStore } from '#test/support/open-test-store.ts';
import { verifies } from '#test/support/verifies.ts';
import { ReferenceModel } from './reference-model.ts';
import { compareWhole, storeCommands } from './store-commands.ts';
import { at } from './store-under-test.ts';

const numRuns = Number(process.env.MODEL_RUNS ?? 60);
const seed = process.env.MODEL_SEED === undefined ? {} : { seed: Number(process.env.MODEL_SEED) };

const openers = {
  memory: openEmptyMemoryStore,
  stack: () => openEmptyFileStore('stack'),
  sqlite: () => openEmptyFileStore('sqlite'),
};

describe('store against a reference model', () => {
  for (const [lifetime, open] of Object.entries(openers)) {
    verifies('STO-13', `answers any sequence of steps as the model does (${lifetime})`, async function () {
      this.timeout(20_000 + numRuns * 1_000);
      await fc.assert(
        fc.asyncProperty(fc.commands(storeCommands, { maxCommands: 60 }), async (commands) => {
          const { opened, remove } = await open();
          const model = new ReferenceModel(at(0));
          try {
            await fc.asyncModelRun(() => ({ model, real: opened }), commands);
            await compareWhole(model, opened);
          } finally {
            await opened.close();
            remove();
          }
        }),
        { numRuns, ...seed },
      );
    });
  }
});
