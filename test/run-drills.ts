// `npm run drills`: every drill, in two lanes beside each other. The first holds what measures deadlines, races and
// deaths, one file after the other, and the packages, so that both lanes end at about the same time. The second holds browsers,
// other people's programs and machines on one PostgreSQL, which take long and mind no delay: at a lower priority it takes what the first leaves of the
// machine. Its output comes when it has ended.
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { repositoryRoot } from './support/source-text.ts';

const patientPaths = ['test/browser/', 'test/interop/', 'test/processes/cluster-'];
/** As nice(1) counts. */
const lowerPriority = 5;

const isPatient = (file: string) => patientPaths.some((path) => file.startsWith(path));
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

const codes = await Promise.all([
  lane(
    drills.filter((file) => !isPatient(file)),
    { apart: false },
  ),
  lane(drills.filter(isPatient), { apart: true }),
]);
process.exitCode = Math.max(...codes);
