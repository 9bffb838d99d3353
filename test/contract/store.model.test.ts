// Random sequences of steps on the real store and on a reference model of a few maps, for both lifetimes. A failing run
// prints its seed and the shortest failing sequence. MODEL_SEED repeats it, MODEL_RUNS sets the number of runs.
import { expect } from 'chai';
import fc from 'fast-check';
import { openEmptyFileStore, openEmptyMemoryStore, type TestStoreOptions } from '#test/support/open-test-store.ts';
import { emptyPostgresLocation, openTestPostgres, postgresOrSkip } from '#test/support/postgres-server.ts';
import { verifies } from '#test/support/verifies.ts';
import { noting, operationsOf } from './model/recorded-operations.ts';
import { ReferenceModel } from './model/reference-model.ts';
import { compareWhole, storeCommands } from './model/store-commands.ts';
import type { OpenEmptyStore } from './store.contract.ts';
import { at } from './store-under-test.ts';

const requestedRuns = process.env.MODEL_RUNS === undefined ? undefined : Number(process.env.MODEL_RUNS);
const seed: { seed?: number } = process.env.MODEL_SEED === undefined ? {} : { seed: Number(process.env.MODEL_SEED) };

/** How often the runs are repeated with other seeds while an operation was not used by chance. */
const mostRounds = 60;

/** Both stores in files run the same code, so they need fewer runs. */
const lifetimes = [
  { lifetime: 'memory', open: openEmptyMemoryStore, numRuns: requestedRuns ?? 60 },
  {
    lifetime: 'stack',
    open: (options: TestStoreOptions) => openEmptyFileStore('stack', options),
    numRuns: requestedRuns ?? 12,
  },
  {
    lifetime: 'sqlite',
    open: (options: TestStoreOptions) => openEmptyFileStore('sqlite', options),
    numRuns: requestedRuns ?? 12,
  },
];

describe('store against a reference model', () => {
  for (const { lifetime, open, numRuns } of lifetimes) {
    verifies('STO-13', `returns the same as the model for any sequence of steps (${lifetime})`, async function () {
      this.timeout(20_000 + numRuns * 2_000);
      await answersAsTheModel(open, numRuns);
    });
  }

  verifies('PGS-15', 'returns the same as the model for any sequence of steps (postgres)', async function () {
    this.timeout(240_000);
    const server = await postgresOrSkip(this);
    const open = async (options: TestStoreOptions) => ({
      opened: await openTestPostgres(emptyPostgresLocation(server), options),
      remove: () => undefined,
    });
    await answersAsTheModel(open, requestedRuns ?? 3).finally(() => server.stop());
  });
});

async function answersAsTheModel(open: OpenEmptyStore, numRuns: number): Promise<void> {
  const used = new Set<string>();
  let operations: readonly string[] = [];
  const property = fc.asyncProperty(fc.commands(storeCommands, { maxCommands: 150, size: 'max' }), async (commands) => {
    const model = new ReferenceModel(at(0));
    const { opened, remove } = await open({ realClock: { now: () => model.now } });
    operations = operationsOf(opened);
    const real = noting(opened, used);
    try {
      await fc.asyncModelRun(() => ({ model, real }), commands);
      await compareWhole(model, real);
    } finally {
      await opened.close();
      remove();
    }
  });
  // Every operation of every port must be used, except closing.
  const left = () => operations.filter((operation) => !used.has(operation) && operation !== 'audit.close');
  await fc.assert(property, { numRuns, ...seed });
  for (let round = 1; left().length > 0 && round < mostRounds; round += 1) {
    await fc.assert(property, { numRuns, ...(seed.seed === undefined ? {} : { seed: seed.seed + round }) });
  }
  expect(left()).to.deep.equal([]);
  expect(operations).to.have.length.above(50);
}
