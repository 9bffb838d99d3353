// The cost of the fault lookup while no fault is set: tokens of this build compared with the same build without the
// lookup (FLT-27). Both run at the same time and get requests in turns.
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LoadResult } from './http-load.ts';
import { inTurns, share } from './in-turns.ts';
import { median } from './median.ts';
import { cpuOfTree, type StartedProgram } from './started-program.ts';

interface FaultsBench {
  /** Starts a build, given the directory of its `cli.js`. */
  readonly start: (build: string) => Promise<StartedProgram>;
  readonly tokenLoad: (program: StartedProgram) => Promise<LoadResult>;
  /** Pairs of loads. */
  readonly rounds: number;
  readonly print: (line: string) => void;
}

interface Measure {
  /** Requests per second. */
  readonly rate: number;
  /** Milliseconds of all its processes per request. Other work on the machine affects this least. */
  readonly cpu: number;
}

async function measure(program: StartedProgram, tokenLoad: FaultsBench['tokenLoad']): Promise<Measure> {
  const before = cpuOfTree(program.pid);
  const { requestsPerSecond, answered } = await tokenLoad(program);
  return { rate: requestsPerSecond, cpu: (cpuOfTree(program.pid) - before) / answered };
}

/** The call of the lookup in the bundle. It is replaced by the result without faults. */
const lookup = /\bfaultsAt\(\s*[\w$]+(?:\.[\w$]+)?,\s*context\)/g;

export async function benchFaults(root: string, { start, tokenLoad, rounds, print }: FaultsBench): Promise<void> {
  const without = buildWithoutFaultLookup(root);
  const programs: StartedProgram[] = [];
  try {
    const [ours, bare] = [await start(join(root, 'dist')), await start(without)];
    programs.push(ours, bare);
    const measured = await inTurns(rounds, {
      ours: () => measure(ours, tokenLoad),
      bare: () => measure(bare, tokenLoad),
    });
    const of = (who: keyof typeof measured, what: keyof Measure) => measured[who].map((each) => each[what]);
    const [rate, cpu] = (['rate', 'cpu'] as const).map((what) => ({
      ours: median(of('ours', what)),
      bare: median(of('bare', what)),
    }));
    print('\nno fault set, client_credentials:');
    print(
      `  ${rate?.ours.toFixed(0)}/s, ${rate?.bare.toFixed(0)}/s with the fault lookup taken out: ${share(of('ours', 'rate'), of('bare', 'rate'), 3)}`,
    );
    print(
      `  processor time of a request: ${cpu?.ours.toFixed(3)} ms, ${cpu?.bare.toFixed(3)} ms: ${share(of('bare', 'cpu'), of('ours', 'cpu'), 3)}`,
    );
  } finally {
    for (const program of programs) await program.stop();
    rmSync(without, { recursive: true, force: true });
  }
}

/**
 * A copy of `dist/` without the fault lookup. It is next to it, so that it finds the same packages. @throws Error when
 * it has no lookup
 */
export function buildWithoutFaultLookup(root: string): string {
  const copy = join(root, `dist.${process.pid}.without-faults`);
  cpSync(join(root, 'dist'), copy, { recursive: true });
  // A changed file needs other compiled code.
  rmSync(join(copy, 'code-cache'), { recursive: true, force: true });
  let found = 0;
  for (const name of readdirSync(copy).filter((each) => /\.c?js$/.test(each))) {
    const text = readFileSync(join(copy, name), 'utf8');
    const changed = text.replaceAll(lookup, (call, at: number) => {
      if (/\bfunction\s+$/.test(text.slice(Math.max(0, at - 20), at))) return call;
      found += 1;
      return 'void 0';
    });
    if (changed !== text) writeFileSync(join(copy, name), changed);
  }
  if (found === 1) return copy;
  rmSync(copy, { recursive: true, force: true });
  throw new Error(`dist/ looks for faults at ${found} places, and one was expected`);
}
