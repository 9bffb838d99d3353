// The thread that reads and changes large configuration files: does one piece of work and ends. An entry of the build, next to
// those of the workers. It lies in this layer because the loader gets the catalogue of faults from above.
import { parentPort, workerData } from 'node:worker_threads';
import { problemsOfFault } from '#shared/engine/faults/read-fault-order.ts';
import { carryOut, type ThreadOrder } from '#shared/state/configuration/own-thread/run-on-own-thread.ts';

// What starts this thread is the other half of this program: nothing else can send an order.
parentPort?.postMessage(carryOut(workerData as ThreadOrder, problemsOfFault));
