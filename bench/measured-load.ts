// A load and what it cost the processes that answered it. The first seconds are not measured: a program that has just started
// is still being compiled, which takes a tenth of the processor time of a code flow in its third second.
import { type LoadOptions, type LoadResult, load } from './http-load.ts';
import { cpuOfTree, type StartedProgram } from './started-program.ts';

export const seconds = Number(process.env.BENCH_SECONDS ?? 4);
export const connections = 16;
const warmUpSeconds = Number(process.env.BENCH_WARM_UP ?? Math.min(4, seconds));

export interface Measured {
  /** Operations a second. */
  readonly rate: number;
  /** Milliseconds of all its processes for one: what else the machine does disturbs it least. */
  readonly cpu: number;
  readonly p99: number;
  readonly samples: LoadResult['samples'];
}

/** @throws Error when an answer is not a 200 */
export async function measuredLoad(
  { baseUrl, ca, pid }: Pick<StartedProgram, 'baseUrl' | 'ca' | 'pid'>,
  request: LoadOptions['request'],
): Promise<Measured> {
  const options = { baseUrl, ca, request, connections, warmUpSeconds: 0 };
  await load({ ...options, seconds: warmUpSeconds });
  const before = cpuOfTree(pid);
  const { requestsPerSecond, answered, errors, p99, samples } = await load({ ...options, seconds });
  const cpu = (cpuOfTree(pid) - before) / answered;
  if (errors > 0 || samples.length === 0) throw new Error(`${errors} of ${answered} answers are wrong: no measurement`);
  return { rate: requestsPerSecond, cpu, p99, samples };
}
