// `tsx test/ask-again.ts <failures> <exit code>`, for `.ci/run`: asks the files of a failed run three times more, alone, and
// then says each failure of that run, so that it stands where it is looked for. Exit code 0 where all three pass: a fault
// that always shows is never forgiven, one that shows in half of all runs once in eight; one that shows in a hundredth is
// not found by a single run either, but hundreds of such tests would stop each run. Not asked again is a run in which
// more failed than accidents come together, nor one that ended for another reason.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { z } from 'zod';
import { repositoryRoot } from './support/source-text.ts';

const times = 3;
const mostFailures = 3;
const mostLines = 40;

/** A line of the list that `support/failures-reporter.cjs` keeps. */
const failure = z.object({ file: z.string().optional(), title: z.string(), message: z.string() });

const [list = '', code = ''] = process.argv.slice(2);
const failures = readFileSync(list, 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => failure.parse(JSON.parse(line)));
const files = [
  ...new Set(failures.flatMap(({ file }) => (file === undefined ? [] : [relative(repositoryRoot, file)]))),
];

/** Whether all tests of the file pass, alone. Its output is this program's. */
function passes(file: string): boolean {
  const configuration = file.endsWith('.drill.ts') ? '.mocharc.drills.json' : '.mocharc.json';
  const mocha = [join('node_modules', 'mocha', 'bin', 'mocha.js'), '--config', configuration, '--no-parallel', file];
  const env = { ...process.env, TEST_IDP_FAILURES: undefined };
  return spawnSync(process.execPath, mocha, { cwd: repositoryRoot, stdio: 'inherit', env }).status === 0;
}

/** Why the run counts as failed, or undefined where each file passed as often as it was asked. */
function verdict(): string | undefined {
  if (failures.length === 0 || failures.length !== Number(code)) {
    return `the run ended with ${code}, and ${failures.length} tests say why`;
  }
  if (failures.length > mostFailures) return `${failures.length} tests failed: not asked again`;
  if (failures.some(({ file }) => file === undefined)) return 'a failure names no file';
  for (const file of files) {
    for (let time = 1; time <= times; time += 1) {
      console.log(`== ${file}, alone, ${time} of ${times}`);
      if (!passes(file)) return `${file} failed again`;
    }
  }
}

const reason = verdict();
console.log(`\n== ${failures.length} failed`);
for (const { file = 'no file', title, message } of failures) {
  const lines = message.split('\n');
  console.log(`${relative(repositoryRoot, file)}\n  ${title}`);
  for (const line of lines.slice(-mostLines)) console.log(`    ${line}`);
}
console.log(reason ?? `each file passed ${times} times alone: failed once, to be mended`);
process.exitCode = reason === undefined ? 0 : 1;
