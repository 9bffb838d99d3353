// Several programs run at the same time and do the same thing in turns. Reports rates, processor time, and the ratio of
// ours to each. A wrong response ends the run, but a slow one is only a figure.
import type { Answer, LoadOptions } from './http-load.ts';
import { inTurns, share } from './in-turns.ts';
import { all, type Measured, measuredLoad, warmUp } from './measured-load.ts';
import { median } from './median.ts';
import type { Programs } from './programs.ts';
import { rsaSignaturesPerSecond } from './rsa-limit.ts';
import type { StartedProgram } from './started-program.ts';

export interface Prepared {
  readonly request: LoadOptions['request'];
  /** Throws if a response with status 200 is wrong. */
  readonly check: (answer: Answer) => void | Promise<void>;
}

export interface Contender {
  readonly name: string;
  start(programs: Programs): Promise<StartedProgram>;
  /** What must exist before the load, for example a token. */
  prepare(program: StartedProgram): Prepared | Promise<Prepared>;
}

export interface Contest {
  readonly title: string;
  /** The target, printed next to the figures. */
  readonly target: string;
  /**
   * RSA-2048 signatures in one of our operations. Used to report which share of the machine's signing capacity is
   * reached.
   */
  readonly signatures?: number;
  readonly ours: Omit<Contender, 'name' | 'start'> & Partial<Pick<Contender, 'start'>>;
  readonly beside: readonly Contender[];
}

interface ContestOptions {
  readonly programs: Programs;
  readonly rounds: number;
  readonly print: (line: string) => void;
}

const own = 'test-idp';
/** In turns with the others, because a machine's capacity changes. */
const signing = 'signed alone';
const signingSeconds = 0.5;

export async function runContest(
  { title, target, signatures, ours, beside }: Contest,
  { programs, rounds, print }: ContestOptions,
): Promise<void> {
  const contenders: readonly Contender[] = [{ name: own, start: (of) => of.ours(), ...ours }, ...beside];
  await whileRunning(contenders, programs, async (loads) => {
    const sign = async () => {
      const rate = (await rsaSignaturesPerSecond(signingSeconds)) / (signatures ?? 1);
      return { rate, cpu: Number.NaN, p99: Number.NaN, samples: [] };
    };
    const measured = await inTurns(rounds, signatures === undefined ? loads : { ...loads, [signing]: sign });
    const figures = (name: string) => measured[name] ?? [];
    print(`\n${title} (target: ${target}):`);
    for (const { name } of contenders) {
      const [rate, cpu, p99] = (['rate', 'cpu', 'p99'] as const).map((what) => median(all(figures(name), what)));
      const ratio = (what: 'rate' | 'cpu', of: string) => share(all(figures(own), what), all(figures(of), what));
      print(
        `  ${name.padEnd(20)} ${rate?.toFixed(0).padStart(6)}/s  ${cpu?.toFixed(3)} ms of processor  p99 ${p99?.toFixed(1)} ms`,
      );
      if (name !== own) print(`${' '.repeat(23)}ours: rate ${ratio('rate', name)}, processor ${ratio('cpu', name)}`);
      else if (signatures !== undefined)
        print(
          `${' '.repeat(23)}${ratio('rate', signing)} of ${median(all(figures(signing), 'rate')).toFixed(0)}/s ${signing}`,
        );
    }
  });
}

/** Starts, prepares and warms up each contender. Returns a function for one turn of each, by name. */
export async function whileRunning(
  contenders: readonly Contender[],
  programs: Programs,
  use: (loads: Readonly<Record<string, () => Promise<Measured>>>) => Promise<void>,
): Promise<void> {
  const started: StartedProgram[] = [];
  try {
    const loads: Record<string, () => Promise<Measured>> = {};
    for (const { name, start, prepare } of contenders) {
      const program = await start(programs);
      started.push(program);
      const { request, check } = await prepare(program);
      await warmUp({ program, request });
      loads[name] = async () => {
        const measured = await measuredLoad({ program, request });
        for (const sample of measured.samples) await check(sample);
        return measured;
      };
    }
    await use(loads);
  } finally {
    for (const program of started) await program.stop();
  }
}
