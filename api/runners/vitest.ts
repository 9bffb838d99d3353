// `test-idp/vitest`: a test with an identity provider (API-38). vitest reads which fixtures a fixture needs from the text
// of its first parameter.
import { test as base } from 'vitest';
import type { VitestFixtures } from '../declarations/vitest.ts';
import { type WorkerInstance, workerInstance } from './worker-instance.ts';

/** vitest before 4.1 hands a fixture of a file none that is its worker's. */
let ofThisWorker: WorkerInstance | undefined;

export const test = base.extend<VitestFixtures & { readonly idpWorker: WorkerInstance }>({
  idpOptions: [{}, { scope: 'worker', injected: true }],
  idpWorker: [
    async ({ idpOptions }, use) => {
      const worker = workerInstance(idpOptions, process.env);
      ofThisWorker = worker;
      await use(worker);
      await worker.stop();
    },
    { scope: 'worker' },
  ],
  idp: [
    async ({ idpWorker = ofThisWorker }, use) => {
      if (idpWorker === undefined) throw new Error('Vitest did not create an identity provider for this worker.');
      const { idp } = await idpWorker.open();
      await use(idp);
      await idp.stop();
    },
    { scope: 'file' },
  ],
});
