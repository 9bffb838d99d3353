// A load and its cost for the processes that handled it. The first seconds of a program are not measured, because it is
// still being compiled: this takes a tenth of the processor time of a code flow in its third second.
import { type LoadOptions, type LoadResult, load } from './http-load.ts';
import { cpuOfTree, type StartedProgram } from './started-program.ts';

/** For a load that is one of many in turns. */
const seconds = Number(process.env.BENCH_SECONDS ?? 0.5);
/** For a single load. */
export const longSeconds = Number(process.env.BENCH_SECONDS ?? 4);
export const connections = 16;
const warmUpSeconds = Number(process.env.BENCH_WARM_UP ?? Math.min(4, longSeconds));

export interface Measured {
  /** Operations per second. */
  readonly rate: number;
  /** Milliseconds of all its processes for one operation. Other work on the machine affects this least. */
  readonly cpu: number;
  readonly p99: number;
  readonly samples: LoadResult['samples'];
}

export interface Loaded {
  readonly program: Pick<StartedProgram, 'baseUrl' | 'ca' | 'pid'>;
  readonly request: LoadOptions['request'];
}

export async function warmUp({ program: { baseUrl, ca }, request }: Loaded): Promise<void> {
  await load({ baseUrl, ca, request, connections, seconds: warmUpSeconds, warmUpSeconds: 0 });
}

/** @throws Error when a response is not a 200 */
export async function measuredLoad(
  { program: { baseUrl, ca, pid }, request }: Loaded,
  lasting = seconds,
): Promise<Measured> {
  const before = cpuOfTree(pid);
  const options = { baseUrl, ca, request, connections, seconds: lasting, warmUpSeconds: 0 };
  const { requestsPerSecond, answered, errors, p99, samples } = await load(options);
  const cpu = (cpuOfTree(pid) - before) / answered;
  if (errors > 0 || samples.length === 0) throw new Error(`${errors} of ${answered} answers are wrong: no measurement`);
  return { rate: requestsPerSecond, cpu, p99, samples };
}

/** The figures of one kind. */
export function all(measured: readonly Measured[], what: 'rate' | 'cpu' | 'p99'): readonly number[] {
  return measured.map((each) => each[what]);
}
