// The cost of sandboxes: tokens in one compared with tokens of the default identity provider in the same run. Also the
// duration of a creation, and the memory of a thousand idle ones.
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { LoadResult } from './http-load.ts';
import { inTurns, share } from './in-turns.ts';
import { median } from './median.ts';
import { memoryOfTree, type StartedProgram } from './started-program.ts';

interface SandboxBench {
  readonly start: () => Promise<StartedProgram>;
  readonly tokenLoad: (program: StartedProgram) => Promise<LoadResult>;
  readonly rounds: number;
  readonly print: (line: string) => void;
}

const sandboxModel = z.object({ issuer: z.string(), jwks_url: z.string() });
const idleSandboxes = 1000;
/** Memory is stable when it changes less than this in so many successive checks. The wait lasts at most 10 s. */
const noiseMebibytes = 0.25;
const steadyChecks = 5;
const checksMax = 100;

export async function benchSandboxes({ start, tokenLoad, rounds, print }: SandboxBench): Promise<void> {
  const program = await start();
  try {
    const inSandbox = await sandboxOf(program);
    const rate = (of: StartedProgram) => async () => (await tokenLoad(of)).requestsPerSecond;
    const { home: defaultRate, sandbox } = await inTurns(rounds, { home: rate(program), sandbox: rate(inSandbox) });
    print('\nsandboxes:');
    print(
      `  tokens: ${median(sandbox).toFixed(0)}/s in one, ${median(defaultRate).toFixed(0)}/s in the default: ${share(sandbox, defaultRate)}`,
    );
    for (const keys of ['shared', 'own'] as const) {
      const took: number[] = [];
      for (let count = 0; count < 100; count += 1) {
        const began = performance.now();
        await create(program, { keys });
        took.push(performance.now() - began);
      }
      print(`  a creation, keys ${keys}: median ${median(took).toFixed(1)} ms`);
      await fetch(`${program.baseUrl}/api/sandboxes`, { method: 'DELETE' });
    }
    const before = await memoryOf(program);
    for (let count = 0; count < idleSandboxes; count += 1) await create(program, {});
    print(`  ${idleSandboxes} idle ones: ${((await memoryOf(program)) - before).toFixed(1)} MiB more in all processes`);
  } finally {
    await program.stop();
  }
}

async function create({ baseUrl }: StartedProgram, body: object) {
  const answer = await fetch(`${baseUrl}/api/sandboxes`, { method: 'POST', body: JSON.stringify(body) });
  if (answer.status !== 201) throw new Error(`the creation answered ${answer.status}`);
  return sandboxModel.parse(await answer.json());
}

async function sandboxOf(program: StartedProgram): Promise<StartedProgram> {
  const { issuer, jwks_url } = await create(program, { ttl_seconds: 86_400 });
  return { ...program, jwksUrl: jwks_url, tokenPath: `${new URL(issuer).pathname}/token` };
}

/** Resident memory of all processes together in MiB, once it is stable. */
async function memoryOf({ pid }: StartedProgram): Promise<number> {
  const read = () => memoryOfTree(pid).reduce((sum, [, mebibytes]) => sum + mebibytes, 0);
  let last = read();
  for (let checks = 0, steady = 0; checks < checksMax && steady < steadyChecks; checks += 1) {
    await sleep(100);
    const now = read();
    steady = Math.abs(now - last) < noiseMebibytes ? steady + 1 : 0;
    last = now;
  }
  return last;
}
