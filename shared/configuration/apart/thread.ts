// The thread of run-apart.ts: does one piece of work and ends. An entry of the build, next to those of the workers.
import { parentPort, workerData } from 'node:worker_threads';
import { bareMappings } from './bare-mappings.ts';
import { jobs } from './jobs.ts';
import type { Order } from './run-apart.ts';

// What starts this thread is the other half of this program: nothing else can send an order.
const { job, work } = workerData as Order;
const result: unknown = Reflect.apply(jobs[job], undefined, work);
parentPort?.postMessage({ result, bare: bareMappings(result) });
