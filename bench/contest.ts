// One thing to do, done by several programs in turns, each started anew every round: rates, processor time, and the ratio
// of ours to each. A wrong answer ends the run; a slow one is a figure like any other.
import type { Answer, LoadOptions } from './http-load.ts';
import { type Measured, measuredLoad } from './measured-load.ts';
import { median } from './median.ts';
import type { Programs } from './programs.ts';
import { rsaSignaturesPerSecond } from './rsa-limit.ts';
import type { StartedProgram } from './started-program.ts';

export interface Prepared {
  readonly request: LoadOptions['request'];
  /** Throws on an answer that is wrong although it is a 200. */
  readonly check: (answer: Answer) => void | Promise<void>;
}

export interface Contender {
  readonly name: string;
  start(programs: Programs): Promise<StartedProgram>;
  /** Whatever must be there before the load, a token for example. */
  prepare(program: StartedProgram): Prepared | Promise<Prepared>;
}

export interface Contest {
  readonly title: string;
  /** Where we want to be; printed beside the figures. */
  readonly target: string;
  /** RSA-2048 signatures in one operation of ours: says which share of what the machine can sign is reached. */
  readonly signatures?: number;
  readonly ours: Omit<Contender, 'name' | 'start'> & Partial<Pick<Contender, 'start'>>;
  readonly beside: readonly Contender[];
}

interface ContestOptions {
  readonly programs: Programs;
  readonly rounds: number;
  readonly print: (line: string) => void;
}

export async function runContest(
  { title, target, signatures, ours, beside }: Contest,
  options: ContestOptions,
): Promise<void> {
  const { programs, rounds, print } = options;
  const contenders: readonly Contender[] = [{ name: 'test-idp', start: (of) => of.ours(), ...ours }, ...beside];
  const limits: number[] = [];
  const measured = new Map<string, Measured[]>(contenders.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    if (signatures !== undefined) limits.push(await rsaSignaturesPerSecond(1));
    // Who goes first changes from round to round.
    for (const contender of round % 2 === 0 ? contenders : contenders.toReversed()) {
      measured.get(contender.name)?.push(await measure(contender, programs));
    }
  }
  print(`\n${title} (target: ${target}):`);
  const limit = signatures === undefined ? undefined : median(limits) / signatures;
  const [own] = contenders.map(({ name }) => middle(measured.get(name) ?? []));
  for (const { name } of contenders) {
    const { rate, cpu, p99 } = middle(measured.get(name) ?? []);
    const share = limit === undefined ? '' : `  ${(rate / limit).toFixed(2)} of ${limit.toFixed(0)} signed alone`;
    const ratio = own === undefined || name === 'test-idp' ? '' : `  ours: ${times(own, { rate, cpu })}`;
    print(
      `  ${name.padEnd(20)} ${rate.toFixed(0).padStart(6)}/s  ${cpu.toFixed(3)} ms of processor  p99 ${p99.toFixed(1)} ms${share}${ratio}`,
    );
  }
}

async function measure({ start, prepare }: Contender, programs: Programs): Promise<Measured> {
  const program = await start(programs);
  try {
    const { request, check } = await prepare(program);
    const measured = await measuredLoad(program, request);
    for (const sample of measured.samples) await check(sample);
    return measured;
  } finally {
    await program.stop();
  }
}

type Figures = Pick<Measured, 'rate' | 'cpu' | 'p99'>;

function middle(measured: readonly Measured[]): Figures {
  const of = (what: keyof Figures) => median(measured.map((each) => each[what]));
  return { rate: of('rate'), cpu: of('cpu'), p99: of('p99') };
}

function times(own: Figures, other: Pick<Figures, 'rate' | 'cpu'>): string {
  return `${(own.rate / other.rate).toFixed(2)} × its rate, ${(own.cpu / other.cpu).toFixed(2)} × its processor time`;
}
