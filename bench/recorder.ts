// The cost of the recorder (REC-08): one program with requests in turns, with the recorder on and off.
import type { LoadResult } from './http-load.ts';
import { inTurns, share } from './in-turns.ts';
import { median } from './median.ts';
import { cpuOfTree, type StartedProgram } from './started-program.ts';

type Load = (program: StartedProgram) => Promise<LoadResult>;

interface RecordedLoad {
  readonly name: string;
  /** The minimum share of its rate with the recorder on. */
  readonly least: number;
  /** Pairs of loads. */
  readonly rounds: number;
  readonly load: Load;
}

interface RecorderBench {
  readonly start: () => Promise<StartedProgram>;
  readonly loads: readonly RecordedLoad[];
  readonly print: (line: string) => void;
}

interface Measure {
  /** Requests per second. */
  readonly rate: number;
  /** Milliseconds of all its processes per request. Other work on the machine affects this least. */
  readonly cpu: number;
}

export async function benchRecorder({ start, loads, print }: RecorderBench): Promise<void> {
  const program = await start();
  try {
    print('\nthe recorder on, and off, in turns:');
    for (const { name, least, rounds, load } of loads) {
      const turn = (enabled: boolean) => async () => {
        await switchRecorder(program, enabled);
        return measure(program, load);
      };
      const measured = await inTurns(rounds, { on: turn(true), off: turn(false) });
      const of = (state: 'on' | 'off', what: keyof Measure) => measured[state].map((each) => each[what]);
      const middle = (state: 'on' | 'off', what: keyof Measure, digits: number) =>
        median(of(state, what)).toFixed(digits);
      print(
        `  ${name.padEnd(20)} ${middle('on', 'rate', 0)}/s, off ${middle('off', 'rate', 0)}/s: ${share(of('on', 'rate'), of('off', 'rate'), 3)}, at least ${least.toFixed(2)}`,
      );
      print(
        `  ${''.padEnd(20)} processor time of a request: ${middle('on', 'cpu', 3)} ms, off ${middle('off', 'cpu', 3)} ms: ${share(of('off', 'cpu'), of('on', 'cpu'), 3)}`,
      );
    }
  } finally {
    await program.stop();
  }
}

async function measure(program: StartedProgram, load: Load): Promise<Measure> {
  const before = cpuOfTree(program.pid);
  const { requestsPerSecond, answered } = await load(program);
  return { rate: requestsPerSecond, cpu: (cpuOfTree(program.pid) - before) / answered };
}

async function switchRecorder({ baseUrl }: StartedProgram, enabled: boolean): Promise<void> {
  const { status } = await fetch(`${baseUrl}/api/recorder`, { method: 'PUT', body: JSON.stringify({ enabled }) });
  if (status !== 200) throw new Error(`PUT /api/recorder answered ${status}`);
}
