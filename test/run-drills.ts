// `npm run drills`: every drill. First, with nothing beside it, what measures deadlines, races and deaths, one file after
// the other. Then what minds no delay, in two lanes beside each other: whole suites and packages in one, browsers, other
// people's programs and machines on one PostgreSQL in the other, which at a lower priority takes what the first leaves of
// the machine. Its output comes when it has ended.
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { repositoryRoot } from './support/source-text.ts';

const lanes = {
  suites: ['test/endpoints/', 'test/package/'],
  others: ['test/browser/', 'test/interop/', 'test/processes/cluster-'],
};
/** As nice(1) counts. */
const lowerPriority = 5;

const isIn = (paths: readonly string[]) => (file: string) => paths.some((path) => file.startsWith(path));
const drills = readdirSync(join(repositoryRoot, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.drill.ts'))
  .map((name) => `test/${name.replaceAll('\\', '/')}`)
  .sort();

/** Runs mocha on the files, with the options of the command line besides; its exit code, or 1 when it was killed. */
function lane(files: readonly string[], { apart }: { apart: boolean }): Promise<number> {
  const mocha = [join('node_modules', 'mocha', 'bin', 'mocha.js'), '--config', '.mocharc.drills.json'];
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
      resolve(code ?? 1);
    });
  });
}

const measuring = drills.filter((file) => !Object.values(lanes).some((paths) => isIn(paths)(file)));
const codes = [
  await lane(measuring, { apart: false }),
  ...(await Promise.all([
    lane(drills.filter(isIn(lanes.suites)), { apart: false }),
    lane(drills.filter(isIn(lanes.others)), { apart: true }),
  ])),
];
// As mocha counts: how many failed. What ended otherwise adds one that no test explains.
process.exitCode = Math.min(
  codes.reduce((sum, code) => sum + code, 0),
  255,
);
