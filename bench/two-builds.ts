// Two builds of ours under the same load in turns, both running all the time. This shows the effect of a change, while
// figures of two runs mostly show how busy the machine was.
import { type Contest, whileRunning } from './contest.ts';
import { inTurns, share } from './in-turns.ts';
import { all } from './measured-load.ts';
import { median } from './median.ts';
import type { Programs } from './programs.ts';

interface PairOptions {
  readonly programs: Programs;
  /** The directory of the other build's cli.js. */
  readonly build: string;
  /** Pairs of loads. */
  readonly rounds: number;
  readonly print: (line: string) => void;
}

export async function runPair(
  { title, ours: { prepare } }: Contest,
  { programs, build, rounds, print }: PairOptions,
): Promise<void> {
  const contenders = [
    { name: 'ours', prepare, start: () => programs.ours() },
    { name: 'other', prepare, start: () => programs.build(build) },
  ];
  await whileRunning(contenders, programs, async (loads) => {
    const { ours = [], other = [] } = await inTurns(rounds, loads);
    print(`\n${title}, this build and the other one:`);
    for (const [name, what, digits] of [
      ['ms of processor', 'cpu', 3],
      ['a second', 'rate', 0],
    ] as const) {
      const [one, another] = [all(ours, what), all(other, what)];
      print(
        `  ${name.padEnd(16)} ${median(one).toFixed(digits)}, the other ${median(another).toFixed(digits)}: ${share(one, another)}`,
      );
    }
  });
}
