// npm run bench measures how fast test-idp is on this machine. The figures are comparable across machines: shares of
// the RSA limit, multiples of a bare node:http and of an empty Node process, processor time, and peers in the same run.
// Sampled responses are verified. A wrong one ends the run, a slow one never does.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { runContest } from './contest.ts';
import { contests } from './contests/index.ts';
import { benchEncryption } from './encryption.ts';
import { benchFaults } from './faults.ts';
import { benchGrowth } from './growth.ts';
import { type LoadOptions, type LoadResult, load } from './http-load.ts';
import { connections, longSeconds } from './measured-load.ts';
import { median } from './median.ts';
import { benchPostgres } from './postgres.ts';
import { type Programs, peersDirectory, prepareDirectory, programsOn, root } from './programs.ts';
import { benchRecorder } from './recorder.ts';
import { get, tokenCheck, tokenRequest } from './requests.ts';
import { benchSamlSignatures } from './saml-signatures.ts';
import { benchSandboxes } from './sandboxes.ts';
import { cpuOfTree, memoryOfTree, type StartedProgram } from './started-program.ts';
import { benchTls } from './tls.ts';
import { runPair } from './two-builds.ts';

/** The number of turns. They are usually brief, because other work on the machine lasts longer than a pair of them. */
const rounds = (usual: number) => Number(process.env.BENCH_PAIRS ?? usual);
/** The number of starts, and of loads whose slowest responses count. */
const longPairs = rounds(8);
const briefPairs = rounds(40);

const print = (line: string) => process.stdout.write(`${line}\n`);
const rounded = (value: number, digits = 0) => value.toFixed(digits);

const brief = { seconds: Math.min(longSeconds, 0.5), warmUpSeconds: 0.3 };
const briefTokenLoad = (program: StartedProgram) => tokenLoad(program, brief);

async function tokenLoad(
  program: StartedProgram,
  span: Pick<LoadOptions, 'seconds' | 'warmUpSeconds'> = { seconds: longSeconds, warmUpSeconds: 1 },
): Promise<LoadResult> {
  const { baseUrl, ca } = program;
  const request = tokenRequest(program, { grant_type: 'client_credentials' });
  const check = await tokenCheck(program);
  const result = await load({ baseUrl, ca, request, connections, ...span });
  for (const sample of result.samples) await check(sample);
  if (result.errors > 0 || result.samples.length === 0) throw new Error(`${result.errors} errors: not a measurement`);
  return result;
}

const briefGetLoad =
  (path: string) =>
  (program: StartedProgram): Promise<LoadResult> =>
    load({ baseUrl: program.baseUrl, request: get(program, path), connections, ...brief });

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

/**
 * From the start of the process to the first discovery response. The OIDC front end responds then, while SAML and MCP
 * still start.
 */
async function millisecondsToFirstAnswer(directory: string): Promise<number> {
  const port = String(await freePort());
  const started = performance.now();
  const args = [join(root, 'dist', 'cli.js'), 'start', '--config-dir', join(directory, 'config'), '--port', port];
  const child = spawn(process.execPath, args, { stdio: 'ignore' });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const address = `http://127.0.0.1:${port}/.well-known/openid-configuration`;
  while (
    !(await fetch(address).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    if (child.exitCode !== null) throw new Error('test-idp ended before it answered');
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  const milliseconds = performance.now() - started;
  child.kill('SIGTERM');
  await ended;
  return milliseconds;
}

async function benchStart({ programs, directory }: Run): Promise<void> {
  const empty: number[] = [];
  const bare: number[] = [];
  const ready: number[] = [];
  const first: number[] = [];
  const frontEnd: number[] = [];
  for (let round = 0; round < 7; round += 1) {
    const started = performance.now();
    spawnSync(process.execPath, ['-e', '0']);
    empty.push(performance.now() - started);
    frontEnd.push(await millisecondsToFirstAnswer(directory));
    for (const [times, start, prepare] of [
      [bare, () => programs.peer('bare-http'), () => {}],
      [ready, () => programs.ours(), () => {}],
      [first, () => programs.ours(), () => rmSync(join(directory, 'keys'), { recursive: true, force: true })],
    ] as const) {
      prepare();
      const program = await start();
      times.push(program.millisecondsToReady);
      await program.stop();
    }
  }
  print('\ntime to ready (median of 7):');
  print(`  an empty Node process      ${rounded(median(empty))} ms`);
  print(`  bare node:http             ${rounded(median(bare))} ms`);
  for (const [name, times] of [
    ['the front end responds', frontEnd],
    ['every worker ready', ready],
    ['first start, makes keys', first],
  ] as const) {
    const time = median(times);
    print(
      `  ${name.padEnd(25)}  ${rounded(time)} ms = ${rounded(time / median(bare), 1)} × bare node:http, ${rounded(time / median(empty), 1)} × empty`,
    );
  }
}

const totalOf = (memory: ReturnType<typeof memoryOfTree>) => rounded(memory.reduce((sum, [, one]) => sum + one, 0));

async function benchMemory({ programs }: Run): Promise<void> {
  const program = await programs.ours();
  try {
    await settled(program);
    const idle = memoryOfTree(program.pid);
    await tokenLoad(program);
    const loaded = memoryOfTree(program.pid);
    print('\nresident memory, MiB, idle and after a load (target: idle <= 180 together, <= 65 each):');
    for (const [index, [name, mebibytes]] of idle.entries()) {
      print(`  ${name.padEnd(30)} ${rounded(mebibytes).padStart(4)} ${rounded(loaded[index]?.[1] ?? 0).padStart(4)}`);
    }
    print(`  ${'together'.padEnd(30)} ${totalOf(idle).padStart(4)} ${totalOf(loaded).padStart(4)}`);
  } finally {
    await program.stop();
  }
}

/** Waits until the work after a start is done: for half a second the program has used almost no processor time. */
async function settled({ pid }: StartedProgram): Promise<void> {
  let before = cpuOfTree(pid);
  for (let quietTenths = 0; quietTenths < 5; ) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    const now = cpuOfTree(pid);
    // Processor time is counted in ticks of 10 ms.
    quietTenths = now - before <= 10 ? quietTenths + 1 : 0;
    before = now;
  }
}

interface Run {
  readonly programs: Programs;
  readonly directory: string;
  /** Another build of ours to compare with. */
  readonly build: string | undefined;
  /** Without the peers. */
  readonly alone: boolean;
}

const scenarios: Readonly<Record<string, (run: Run) => Promise<void>>> = {
  ...Object.fromEntries(
    Object.entries(contests).map(([name, contest]) => [
      name,
      ({ programs, build, alone }: Run) =>
        build === undefined
          ? runContest(alone ? { ...contest, beside: [] } : contest, { programs, rounds: rounds(20), print })
          : runPair(contest, { programs, build, rounds: briefPairs, print }),
    ]),
  ),
  start: benchStart,
  memory: benchMemory,
  growth: () => benchGrowth({ pairs: briefPairs, print }),
  tls: ({ programs }) =>
    benchTls({ start: (...further) => programs.ours(...further), tokenLoad, rounds: longPairs, print }),
  encryption: () => benchEncryption({ rounds: briefPairs, print }),
  saml_signatures: () => benchSamlSignatures({ rounds: briefPairs, print }),
  faults: ({ programs }) =>
    benchFaults(root, {
      start: (build) => programs.build(build),
      tokenLoad: briefTokenLoad,
      rounds: briefPairs,
      print,
    }),
  recorder: ({ programs }) =>
    benchRecorder({
      start: () => programs.ours(),
      loads: [
        {
          ...{ name: 'client_credentials', least: 0.9, rounds: rounds(160) },
          load: briefTokenLoad,
        },
        {
          ...{ name: 'discovery', least: 0.8, rounds: rounds(60) },
          load: briefGetLoad('/.well-known/openid-configuration'),
        },
        { name: 'jwks', least: 0.8, rounds: rounds(60), load: briefGetLoad('/.well-known/jwks.json') },
      ],
      print,
    }),
  postgres: () => benchPostgres({ rounds: longPairs, print }),
  sandboxes: ({ programs }) =>
    benchSandboxes({ start: () => programs.ours(), tokenLoad: briefTokenLoad, rounds: rounds(20), print }),
};
const needPeers = new Set(['start', ...Object.keys(contests).filter((name) => contests[name]?.beside.length !== 0)]);

/**
 * `--only sandboxes`, or several with commas, and all without it. `--beside DIR`: requests to the `dist` of another
 * build in turns with ours, instead of the peers. `--alone`: requests to ours only.
 */
function chosen(): Pick<Run, 'build' | 'alone'> & { readonly names: readonly string[] } {
  const options = { only: { type: 'string' }, beside: { type: 'string' }, alone: { type: 'boolean' } } as const;
  const { values } = parseArgs({ options });
  const names = values.only?.split(',') ?? Object.keys(scenarios);
  const unknown = names.find((name) => !Object.hasOwn(scenarios, name));
  if (unknown !== undefined) throw new Error(`there is no scenario ${unknown}: ${Object.keys(scenarios).join(', ')}`);
  return { names, build: values.beside, alone: values.alone === true };
}

const { names, build, alone } = chosen();
const besideOurs = alone || build !== undefined;
const withPeers = names.some((name) => needPeers.has(name) && !(besideOurs && Object.hasOwn(contests, name)));
if (withPeers && !existsSync(join(peersDirectory, 'node_modules'))) {
  print('installing the peers (once) …');
  const options = { cwd: peersDirectory, stdio: 'inherit' } as const;
  execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], options);
}
const directory = prepareDirectory();
try {
  const programs = programsOn(directory);
  await (await programs.ours()).stop();
  for (const name of names) await scenarios[name]?.({ programs, directory, build, alone });
} finally {
  rmSync(directory, { recursive: true, force: true });
}
