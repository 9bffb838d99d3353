// `npm run drills`: every drill, in three lanes beside each other. In the first, what measures deadlines, races and deaths, which
// leaves half of the machine idle. In the others, what minds no delay: browsers and packages, other people's programs and whole
// suites; at a lower priority they take what the first leaves of the machine. Their output comes when a part of them has
// ended. Each part says how long it took, and the end how busy the machine was: where it was not, files can change their lane.
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { cpus, setPriority } from 'node:os';
import { join } from 'node:path';
import { repositoryRoot } from './support/source-text.ts';

interface Part {
  readonly name: string;
  /** Beginnings of paths; left out: whatever no other part has. */
  readonly paths?: readonly string[];
  /** Of mocha, besides those of the command line. */
  readonly options?: readonly string[];
}

/** For files that no test looks at as files on a disk. */
const inMemory = ['--require', './test/support/use-memory-directory.cjs'];

/** Parts of a lane run one after the other. The output of the first one is shown as it comes. */
const lanes: readonly (readonly Part[])[] = [
  [{ name: 'measuring' }, { name: 'clusters', paths: ['test/processes/cluster-'], options: inMemory }],
  [
    { name: 'browsers', paths: ['test/browser/'] },
    { name: 'packages', paths: ['test/package/'], options: inMemory },
  ],
  [
    { name: 'other programs', paths: ['test/interop/'] },
    { name: 'suites', paths: ['test/endpoints/'], options: inMemory },
  ],
];
/** Of all lanes but the first, as nice(1) counts: a tenth of what that one gets where both want the whole machine. */
const lowerPriority = 10;

const drills = readdirSync(join(repositoryRoot, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.drill.ts'))
  .map((name) => `test/${name.replaceAll('\\', '/')}`)
  .sort();

/** Of all processors since the machine started. */
function busyMilliseconds(): number {
  return cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0);
}

function filesOf({ paths }: Part): readonly string[] {
  const isIn = (beginnings: readonly string[]) => (file: string) => beginnings.some((path) => file.startsWith(path));
  return paths === undefined
    ? drills.filter((file) => !isIn(lanes.flat().flatMap((part) => part.paths ?? []))(file))
    : drills.filter(isIn(paths));
}

/** Runs mocha on the files of the part, with the options of the command line besides; its exit code, or 1 when it was killed. */
function run(part: Part, isFirst: boolean): Promise<number> {
  const begun = performance.now();
  const mocha = [join('node_modules', 'mocha', 'bin', 'mocha.js'), '--config', '.mocharc.drills.json'];
  const child = spawn(
    process.execPath,
    [...mocha, ...(part.options ?? []), ...process.argv.slice(2), ...filesOf(part)],
    {
      cwd: repositoryRoot,
      stdio: isFirst ? 'inherit' : ['ignore', 'pipe', 'pipe'],
    },
  );
  const kept: Buffer[] = [];
  if (!isFirst && child.pid !== undefined) setPriority(child.pid, lowerPriority);
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text: Buffer) => kept.push(text));
  return new Promise((resolve) => {
    child.once('close', (code) => {
      const seconds = Math.round((performance.now() - begun) / 1000);
      if (!isFirst) process.stdout.write(Buffer.concat([Buffer.from('\nbeside it:\n'), ...kept]));
      process.stdout.write(`drills, ${part.name}: ${seconds} s\n`);
      resolve(code ?? 1);
    });
  });
}

const begun = performance.now();
const busyBefore = busyMilliseconds();
const codes = await Promise.all(
  lanes.map(async (parts, at) => {
    let failed = 0;
    for (const part of parts) failed += await run(part, at === 0);
    return failed;
  }),
);
const milliseconds = performance.now() - begun;
const share = (busyMilliseconds() - busyBefore) / (milliseconds * cpus().length);
process.stdout.write(
  `drills: ${Math.round(milliseconds / 1000)} s, processors busy for ${Math.round(share * 100)} % of it\n`,
);
// As mocha counts: how many failed. What ended otherwise adds one that no test explains.
process.exitCode = Math.min(
  codes.reduce((sum, code) => sum + code, 0),
  255,
);
