// Large configuration files are read and changed on a separate thread, because a megabyte of YAML takes seconds and
// would delay all requests. Small files are handled directly: starting a thread takes longer than reading them. The
// thread exists for one job, so that no memory is held between two jobs. Where no thread can start (no memory, a
// program bundled into one file), the job runs here.
import { Worker } from 'node:worker_threads';
import type { ProblemsOfFault } from '#shared/model/configuration/fault-entry.ts';
import type { LoadOptions } from '../load/load-options.ts';
import type { ConfigurationFiles, ConfigurationTexts } from '../load/read-files.ts';
import { bareMappings, restoreBareMappings } from './bare-mappings.ts';
import { type ThreadJobs, threadJobs } from './thread-jobs.ts';

/** Both files together, in characters: some ten milliseconds of reading. */
const charactersAtOnceMax = 64 * 1024;

export interface ThreadOrder {
  readonly job: keyof ThreadJobs;
  readonly work: readonly unknown[];
}

interface ThreadResult {
  readonly result: unknown;
  readonly bare: Uint8Array;
}

/** @throws any error of the job */
export async function runOnOwnThread<Job extends keyof ThreadJobs>(
  job: Job,
  ...work: Parameters<ThreadJobs[Job]>
): Promise<ReturnType<ThreadJobs[Job]>> {
  const here = () => Reflect.apply(threadJobs[job], undefined, work) as ReturnType<ThreadJobs[Job]>;
  if (lengthOf(work[0]) <= charactersAtOnceMax) return here();
  const done = await onThread({ job, work });
  // The thread calls the same function with a copy of the same arguments.
  return done === undefined ? here() : (done as ReturnType<ThreadJobs[Job]>);
}

function lengthOf({ settings, users }: ConfigurationFiles | ConfigurationTexts): number {
  return [settings, users].reduce((sum, file) => {
    if (typeof file === 'string') return sum + file.length;
    return file?.state === 'read' ? sum + file.text.length : sum;
  }, 0);
}

/** On the thread: runs the job. `problemsOfFault`: a function, which cannot be copied to a thread. */
export function runJob({ job, work }: ThreadOrder, problemsOfFault: ProblemsOfFault): ThreadResult {
  const received = work.map((argument) => (isLoadOptions(argument) ? { ...argument, problemsOfFault } : argument));
  const result: unknown = Reflect.apply(threadJobs[job], undefined, received);
  return { result, bare: bareMappings(result) };
}

/** undefined: the thread could not run it, or failed. The same failure will then occur here. */
function onThread(order: ThreadOrder): Promise<unknown> {
  return new Promise((resolve) => {
    let thread: Worker;
    try {
      thread = new Worker(threadFile(), { workerData: { ...order, work: order.work.map(copyable) } });
    } catch {
      return resolve(undefined);
    }
    thread.once('message', ({ result, bare }: ThreadResult) => {
      restoreBareMappings(result, bare);
      resolve(result);
    });
    thread.once('error', () => resolve(undefined));
    thread.once('exit', () => resolve(undefined));
  });
}

/** The environment of a process is not a plain value, and functions cannot be copied. */
function copyable(argument: unknown): unknown {
  if (!isLoadOptions(argument)) return argument;
  const { problemsOfFault: _, environment, ...options } = argument;
  return { ...options, environment: { ...environment } };
}

function isLoadOptions(argument: unknown): argument is LoadOptions {
  return typeof argument === 'object' && argument !== null && 'environment' in argument;
}

/** An entry of the layer `process`: a separate file in the sources, the program of that name in a build. */
function threadFile(): URL {
  const isSource = import.meta.url.endsWith('.ts');
  const source = '../../../process/worker/configuration-thread.ts';
  return new URL(isSource ? source : './configuration-thread.js', import.meta.url);
}
