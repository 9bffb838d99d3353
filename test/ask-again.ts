// `tsx test/ask-again.ts <failures> <exit code>`, for `.ci/run`: asks again what failed, and then says each failure, so that
// it stands at the end, where it is looked for. Exit code 0 where the run may go on.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type FailedOnce, readFailedOnce, readFailures, timesAskedAgain, whyItFailed } from './support/asked-again.ts';
import { repositoryRoot } from './support/source-text.ts';

const linesMax = 40;
const millisecondsMax = 10 * 60_000;

const [list = '', code = ''] = process.argv.slice(2);
const failures = readFailures(readFileSync(list, 'utf8')).map(({ file, ...failure }) => ({
  ...failure,
  file: file && relative(repositoryRoot, file),
}));

const failedBefore = readFailedOnce(readFileSync(join(repositoryRoot, 'test/failed-once.json'), 'utf8'));

const begun = performance.now();
const reason = whyItFailed({
  failures,
  failedBefore,
  exitCode: Number(code),
  isLate: () => performance.now() - begun > millisecondsMax,
  passes(file, time) {
    console.log(`== ${file}, alone, ${time} of ${timesAskedAgain}`);
    const configuration = file.endsWith('.drill.ts') ? '.mocharc.drills.json' : '.mocharc.json';
    const mocha = [join('node_modules', 'mocha', 'bin', 'mocha.js'), '--config', configuration, '--no-parallel', file];
    const env = { ...process.env, TEST_IDP_FAILURES: undefined };
    return spawnSync(process.execPath, mocha, { cwd: repositoryRoot, stdio: 'inherit', env }).status === 0;
  },
});

console.log(`\n== ${failures.length} failed`);
for (const { file = 'no file', title, message } of failures) {
  console.log(`${file}\n  ${title}`);
  for (const line of message.split('\n').slice(-linesMax)) console.log(`    ${line}`);
}
if (reason === undefined) {
  const on = new Date().toISOString().slice(0, 10);
  const entries = failures.map(({ file = '', title }): FailedOnce => ({ file, title, on, cause: 'unknown' }));
  console.log('Each file passed alone each time. Find the cause, or add to test/failed-once.json:');
  for (const entry of entries) console.log(JSON.stringify(entry));
} else console.log(reason);
process.exitCode = reason === undefined ? 0 : 1;
