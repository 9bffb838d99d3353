// The thread of compare-hash.ts. An entry of the build, next to those of the workers.
import { parentPort } from 'node:worker_threads';
import { compareSync } from 'bcryptjs';
import type { HashComparison } from './compare-hash.ts';

parentPort?.on('message', ({ password, hash }: HashComparison) => {
  parentPort?.postMessage(compareSync(password, hash));
});
