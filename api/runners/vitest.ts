// `test-idp/vitest`: a test with an identity provider (API-38). vitest reads which fixtures a fixture needs from the text
// of its first parameter.
import { test as base } from 'vitest';
import type { VitestFixtures } from '../declarations/vitest.ts';
import { type WorkerInstance, workerInstance } from './worker-instance.ts';

export const test = base.extend<VitestFixtures & { readonly idpWorker: WorkerInstance }>({
  idpOptions: [{}, { scope: 'worker', injected: true }],
  idpWorker: [
    async ({ idpOptions }, use) => {
      const worker = workerInstance(idpOptions, process.env);
      await use(worker);
      await worker.stop();
    },
    { scope: 'worker' },
  ],
  idp: [
    async ({ idpWorker }, use) => {
      const { idp } = await idpWorker.open();
      await use(idp);
      await idp.stop();
    },
    { scope: 'file' },
  ],
});
