// Two builds of ours under the same load in turns, both running all the time, so that whatever else the machine does
// disturbs both alike: what a change of the program gives or costs, where the figures of two runs would only tell how busy
// the machine was.
import type { Contest } from './contest.ts';
import { type Measured, measuredLoad } from './measured-load.ts';
import { median } from './median.ts';
import type { Programs } from './programs.ts';
import { withRange } from './ratios.ts';
import type { StartedProgram } from './started-program.ts';

interface PairOptions {
  readonly programs: Programs;
  /** The directory of the other build's cli.js. */
  readonly build: string;
  /** Pairs of loads. */
  readonly rounds: number;
  readonly print: (line: string) => void;
}

const turns = ['ours', 'other'] as const;

export async function runPair(
  { title, ours }: Contest,
  { programs, build, rounds, print }: PairOptions,
): Promise<void> {
  const started: StartedProgram[] = [];
  try {
    const [own, other] = [await programs.ours(), await programs.build(build)];
    started.push(own, other);
    const loaded = {
      ours: { program: own, prepared: await ours.prepare(own) },
      other: { program: other, prepared: await ours.prepare(other) },
    };
    const measured: Record<(typeof turns)[number], Measured[]> = { ours: [], other: [] };
    for (let round = 0; round < rounds; round += 1) {
      // Who goes first changes from pair to pair.
      for (const turn of round % 2 === 0 ? turns : turns.toReversed()) {
        const { program, prepared } = loaded[turn];
        const figures = await measuredLoad(program, prepared.request);
        for (const sample of figures.samples) await prepared.check(sample);
        measured[turn].push(figures);
      }
    }
    print(`\n${title}, this build and the other one in ${rounds} pairs:`);
    for (const [name, what, digits] of [
      ['ms of processor', 'cpu', 3],
      ['a second', 'rate', 0],
    ] as const) {
      const of = (turn: (typeof turns)[number]) => measured[turn].map((each) => each[what]);
      const ratios = of('ours').map((value, round) => value / (of('other')[round] ?? Number.NaN));
      print(
        `  ${name.padEnd(16)} ${median(of('ours')).toFixed(digits)}, the other ${median(of('other')).toFixed(digits)}: ${withRange(ratios, 2)}`,
      );
    }
  } finally {
    for (const program of started) await program.stop();
  }
}
