// The thread of run-on-own-thread.ts: does one piece of work and ends. An entry of the build, next to those of the workers.
import { parentPort, workerData } from 'node:worker_threads';
import { bareMappings } from './bare-mappings.ts';
import type { ThreadOrder } from './run-on-own-thread.ts';
import { threadJobs } from './thread-jobs.ts';

// What starts this thread is the other half of this program: nothing else can send an order.
const { job, work } = workerData as ThreadOrder;
const result: unknown = Reflect.apply(threadJobs[job], undefined, work);
parentPort?.postMessage({ result, bare: bareMappings(result) });
