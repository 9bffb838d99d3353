import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type FailedOnce, type Failure, readFailedOnce, readFailures, whyItFailed } from '#test/support/asked-again.ts';
import { repositoryRoot } from '#test/support/source-text.ts';

const failed = (file: string | undefined, title = 'a test'): Failure => ({ file, title, message: 'Error: no' });

/** The result, and which files were run again. */
function ask(
  failures: readonly Failure[],
  passes: (file: string, time: number) => boolean,
  {
    exitCode = failures.length,
    isLate = (): boolean => false,
    failedBefore = [],
  }: { exitCode?: number; isLate?: () => boolean; failedBefore?: readonly FailedOnce[] } = {},
) {
  const asked: string[] = [];
  const why = whyItFailed({
    failures,
    failedBefore,
    exitCode,
    isLate,
    passes(file, time) {
      asked.push(file);
      return passes(file, time);
    },
  });
  return { why, asked };
}

describe('a run in which tests failed', () => {
  it('passes if each file passes three times', () => {
    const { why, asked } = ask([failed('a'), failed('b'), failed('a', 'another')], () => true);
    expect(why).to.equal(undefined);
    expect(asked).to.deep.equal(['a', 'a', 'a', 'b', 'b', 'b']);
  });

  it('fails if a file fails again, even the last time', () => {
    expect(ask([failed('a')], (_, time) => time < 3)).to.deep.equal({ why: 'a failed again', asked: ['a', 'a', 'a'] });
    expect(ask([failed('a'), failed('b')], (file) => file === 'a').why).to.equal('b failed again');
    expect(ask([failed('a')], () => false).asked).to.deep.equal(['a']);
  });

  it('is repeated at least once, however late it is', () => {
    const late = { isLate: () => true };
    expect(ask([failed('a'), failed('b')], () => true, late)).to.deep.equal({ why: undefined, asked: ['a', 'b'] });
    expect(ask([failed('a'), failed('b')], (file) => file === 'a', late).why).to.equal('b failed again');
  });

  it('fails if one of the tests already failed in an earlier run', () => {
    const failedBefore = [{ file: 'a', title: 'a test', on: '2026-11-29', cause: 'unknown' }];
    expect(ask([failed('b'), failed('a')], () => true, { failedBefore })).to.deep.equal({
      why: 'a: “a test” failed in an earlier run, too (test/failed-once.json)',
      asked: [],
    });
    expect(ask([failed('a', 'another'), failed('b')], () => true, { failedBefore }).why).to.equal(undefined);
  });

  it('has a readable list of earlier failures, each with an existing file', () => {
    const list = readFailedOnce(readFileSync(join(repositoryRoot, 'test/failed-once.json'), 'utf8'));
    for (const { file } of list) expect(existsSync(join(repositoryRoot, file)), file).to.equal(true);
    const [one] = readFailedOnce('[{"file": "a", "title": "t", "on": "2026-11-29", "cause": "a race"}]');
    expect(one?.cause).to.equal('a race');
  });

  it('is not repeated if more tests failed than usual for accidents', () => {
    expect(
      ask(
        ['a', 'b', 'c', 'd'].map((file) => failed(file)),
        () => true,
      ),
    ).to.deep.equal({
      why: '4 tests failed: not asked again',
      asked: [],
    });
  });

  it('is not repeated if it ended for another reason than its failures', () => {
    expect(ask([failed('a')], () => true, { exitCode: 2 }).why).to.contain('ended with 2');
    expect(ask([], () => true, { exitCode: 1 }).why).to.contain('ended with 1');
    expect(ask([], () => true, { exitCode: 0 }).why).to.contain('ended with 0');
    expect(ask([failed(undefined)], () => true).why).to.equal('a failure names no file');
  });
});

describe('the list of failures', () => {
  const directory = mkdtempSync(join(tmpdir(), 'test-idp-failures-'));
  after(() => rmSync(directory, { recursive: true }));

  it('names tests and hooks with their file, and is printed at the end of a run', () => {
    const file = join(directory, 'some.test.mjs');
    const list = join(directory, 'failures');
    writeFileSync(list, '');
    writeFileSync(
      file,
      `describe('some', () => {
        it('passes', () => {});
        it('fails', () => { throw new Error('the reason'); });
        describe('other', () => { before(() => { throw new Error('not ready'); }); it('is not reached', () => {}); });
      });`,
    );
    const run = (...args: readonly string[]) =>
      spawnSync(process.execPath, args, {
        cwd: repositoryRoot,
        encoding: 'utf8',
        env: { ...process.env, TEST_IDP_FAILURES: list },
      });
    expect(run('node_modules/mocha/bin/mocha.js', '--no-parallel', file).status).to.equal(2);
    const failures = readFailures(readFileSync(list, 'utf8'));
    expect(failures.map((failure) => [failure.file, failure.title])).to.deep.equal([
      [file, 'some fails'],
      [file, 'some other "before all" hook for "is not reached"'],
    ]);
    const { status, stdout } = run('--import', 'tsx', 'test/ask-again.ts', list, '7');
    expect(status).to.equal(1);
    expect(stdout).to.match(/== 2 failed\n.*some\.test\.mjs\n {2}some fails\n {4}Error: the reason\n/);
    expect(stdout).to.match(/the run ended with 7, and the failures of 2 tests are known\n$/);
  });
});
