import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { repositoryRoot } from '#test/support/source-text.ts';

describe('what CI does about a test that failed', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'test-idp-ask-again-'));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  const run = (args: readonly string[], failures: string) =>
    spawnSync(process.execPath, args, {
      cwd: repositoryRoot,
      encoding: 'utf8',
      env: { ...process.env, TEST_IDP_FAILURES: failures, MOCHA_OPTIONS: '' },
    });

  /** Runs mocha on a file with the source, then what asks it again: the exit code of each, and what the second printed. */
  function failThenAsk(source: string, { claimed }: { claimed?: number } = {}) {
    const file = join(directory, 'some.test.mjs');
    const failures = join(directory, 'failures');
    writeFileSync(file, source.replaceAll('MARK', JSON.stringify(join(directory, 'mark'))));
    writeFileSync(failures, '');
    const first = run(['node_modules/mocha/bin/mocha.js', '--no-parallel', file], failures).status;
    const again = run(['--import', 'tsx', 'test/ask-again.ts', failures, String(claimed ?? first)], failures);
    return { first, again: again.status, said: again.stdout };
  }

  const failsOnce = `
    import { appendFileSync, readFileSync } from 'node:fs';
    it('is unsteady', () => {
      appendFileSync(MARK, 'x');
      if (readFileSync(MARK).length === 1) throw new Error('the reason');
    });`;

  it('forgives what passes three times alone, and says at the end what it was', () => {
    const { first, again, said } = failThenAsk(failsOnce);
    expect([first, again]).to.deep.equal([1, 0]);
    expect(said.match(/1 passing/g)).to.have.length(3);
    expect(said).to.match(
      /== 1 failed\n.*some\.test\.mjs\n {2}is unsteady\n {4}Error: the reason\n(?:.*\n)*.*to be mended\n$/,
    );
  });

  it('forgives nothing that fails again, and be it the third time', () => {
    const twice = `${failsOnce} it('too', () => { if (readFileSync(MARK).length === 4) throw new Error('late'); });`;
    expect(failThenAsk(twice)).to.include({ first: 1, again: 1 });
  });

  it('does not ask again when more failed than accidents come together', () => {
    const { first, again, said } = failThenAsk(
      `for (const n of [1, 2, 3, 4]) it('t' + n, () => { throw new Error('no'); });`,
    );
    expect([first, again]).to.deep.equal([4, 1]);
    expect(said).to.contain('4 tests failed: not asked again').and.not.contain('alone');
  });

  it('forgives no run that ended for another reason than its failures', () => {
    expect(failThenAsk(failsOnce, { claimed: 2 })).to.include({ again: 1 });
    rmSync(join(directory, 'mark'));
    expect(failThenAsk(`it('passes', () => {});`, { claimed: 1 })).to.include({ first: 0, again: 1 });
  });

  it('knows of a hook that failed', () => {
    const hook = `describe('some', () => { before(() => { throw new Error('no'); }); it('is not reached', () => {}); });`;
    const { first, again, said } = failThenAsk(hook);
    expect([first, again]).to.deep.equal([1, 1]);
    expect(said).to.contain('"before all" hook').and.contain('failed again');
  });
});
