// Runs the tests that `npm test` runs against one process with both front ends against a real stack: the OIDC worker, the
// SAML worker behind its relay, and the supervisor.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { askedOfAnInstance } from '#test/support/asked-of-an-instance.ts';
import { repositoryRoot } from '#test/support/source-text.ts';

describe('the whole stack', function () {
  this.timeout(1_500_000);

  it('passes the endpoint tests as an instance does', () => {
    const folder = join(repositoryRoot, 'test/endpoints');
    const files = readdirSync(folder)
      .filter(
        (name) => name.endsWith('.test.ts') && readFileSync(join(folder, name), 'utf8').search(askedOfAnInstance) >= 0,
      )
      .map((name) => `test/endpoints/${name}`);
    expect(files.length).to.be.at.least(28);
    const mocha = join(repositoryRoot, 'node_modules/mocha/bin/mocha.js');
    const args = [mocha, '--timeout', '60000', '--reporter', 'dot', ...files];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, {
      cwd: repositoryRoot,
      encoding: 'utf8',
      env: { ...process.env, TEST_IDP_IN_PROCESS: '0', MOCHA_OPTIONS: '' },
      maxBuffer: 64 * 1024 * 1024,
      // Mocha's own timeout cannot interrupt a synchronous wait.
      timeout: 20 * 60_000,
    });
    expect(status, stdout + stderr).to.equal(0);
    expect(Number(/(\d+) passing/.exec(stdout)?.[1])).to.be.at.least(330);
  });
});
