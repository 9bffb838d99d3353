// The thread that reads and changes large configuration files. It does one task and ends. It is an entry of the build,
// next to those of the workers. It is in this layer because the loader gets the catalogue of faults from a higher
// layer.
import { parentPort, workerData } from 'node:worker_threads';
import { problemsOfFault } from '#shared/engine/faults/read-fault-order.ts';
import { runJob, type ThreadOrder } from '#shared/state/configuration/own-thread/run-on-own-thread.ts';

// Only this program starts the thread, so no other sender of orders exists.
parentPort?.postMessage(runJob(workerData as ThreadOrder, problemsOfFault));
