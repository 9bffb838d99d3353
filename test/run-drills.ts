// `npm run drills`: every drill. First, with nothing beside it, what measures deadlines, races and deaths, one file after
// the other. Then what minds no delay, in two lanes beside each other: whole suites, packages and machines on one PostgreSQL
// in one, browsers and other people's programs in the other, which at a lower priority takes what the first leaves of
// the machine. Its output comes when it has ended. Each says how long it took and how busy the machine was meanwhile: one
// that runs on alone has files to give away.
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { cpus, setPriority } from 'node:os';
import { join } from 'node:path';
import { repositoryRoot } from './support/source-text.ts';

const lanes = {
  suites: ['test/endpoints/', 'test/package/', 'test/processes/cluster-'],
  others: ['test/browser/', 'test/interop/'],
};
/** As nice(1) counts. */
const lowerPriority = 5;

const isIn = (paths: readonly string[]) => (file: string) => paths.some((path) => file.startsWith(path));
const drills = readdirSync(join(repositoryRoot, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.drill.ts'))
  .map((name) => `test/${name.replaceAll('\\', '/')}`)
  .sort();

/** Of all processors since the machine started. */
function busyMilliseconds(): number {
  return cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0);
}

/** Begins to measure; says in a line what was. */
function measureLane(name: string): () => string {
  const begun = performance.now();
  const busyBefore = busyMilliseconds();
  return () => {
    const milliseconds = performance.now() - begun;
    const share = (busyMilliseconds() - busyBefore) / (milliseconds * cpus().length);
    return `drills, ${name}: ${Math.round(milliseconds / 1000)} s, processors busy for ${Math.round(share * 100)} % of it\n`;
  };
}

interface Lane {
  readonly name: string;
  /** Its output comes when it has ended, and others go first. */
  readonly apart: boolean;
  /** Of mocha, besides those of the command line. */
  readonly options?: readonly string[];
}

/** For files that no test looks at as files on a disk. */
const inMemory = ['--require', './test/support/use-memory-directory.cjs'];

/** Runs mocha on the files, with the options of the command line besides; its exit code, or 1 when it was killed. */
function lane(files: readonly string[], { name, apart, options = [] }: Lane): Promise<number> {
  const measured = measureLane(name);
  const mocha = [join('node_modules', 'mocha', 'bin', 'mocha.js'), '--config', '.mocharc.drills.json', ...options];
  const child = spawn(process.execPath, [...mocha, ...process.argv.slice(2), ...files], {
    cwd: repositoryRoot,
    stdio: apart ? ['ignore', 'pipe', 'pipe'] : 'inherit',
  });
  const kept: Buffer[] = [];
  if (apart && child.pid !== undefined) setPriority(child.pid, lowerPriority);
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (part: Buffer) => kept.push(part));
  return new Promise((resolve) => {
    child.once('close', (code) => {
      if (apart) process.stdout.write(Buffer.concat([Buffer.from('\nbeside them:\n'), ...kept]));
      process.stdout.write(measured());
      resolve(code ?? 1);
    });
  });
}

const measuring = drills.filter((file) => !Object.values(lanes).some((paths) => isIn(paths)(file)));
const codes = [
  await lane(measuring, { name: 'measuring', apart: false }),
  ...(await Promise.all([
    lane(drills.filter(isIn(lanes.suites)), { name: 'suites', apart: false, options: inMemory }),
    lane(drills.filter(isIn(lanes.others)), { name: 'others', apart: true }),
  ])),
];
// As mocha counts: how many failed. What ended otherwise adds one that no test explains.
process.exitCode = Math.min(
  codes.reduce((sum, code) => sum + code, 0),
  255,
);
