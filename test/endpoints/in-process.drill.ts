// Runs the endpoint tests against an instance within the test process, which must respond like the real processes (API-10).
// Left out are tests that this mode does not support, and tests that `npm test` already runs against an instance.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { askedOfAnInstance } from '#test/support/asked-of-an-instance.ts';
import { repositoryRoot } from '#test/support/source-text.ts';
import { verifies } from '#test/support/verifies.ts';

/** Files that are not about responses of OIDC, SAML and REST. */
const elsewhere: readonly (readonly [name: RegExp, why: string])[] = [
  [/\bmcp\b/, 'MCP is not part of it (API-08)'],
  [/^tls\./, 'it speaks plain HTTP'],
  [/^shared-store|^locked-directory/, 'about processes beside each other'],
  [/^web-ui\./, 'pages of the same routes, without a protocol'],
  [/^demo\./, 'the applications of `--demo` are a worker of the stack'],
  [/^openapi\./, 'judges what all the others saw'],
];

/** Tests in the other files that call an MCP tool, use TLS, or are about the processes of a stack. */
const tests = [
  ...['AUD-27 AUD-31 AUD-08', 'AUD-15 AUD-13', 'SSO-M18 TLS-08'],
  ...['the recorder of a whole stack', 'return 503 while the schema is missing', 'to the MCP worker are handled'],
  ...['when an MCP client leaves', 'unread responses'],
];

/** Whether every start in the text is of an instance, so that `npm test` covers the file. */
function asksAnInstance(text: string): boolean {
  const starts = text.match(/\bstartIdp\(/g) ?? [];
  return starts.length > 0 && starts.length === text.match(askedOfAnInstance)?.length;
}

describe('an instance within the process', function () {
  this.timeout(1_500_000);

  verifies('API-10', 'passes the tests of the endpoints like the real processes', () => {
    const folder = join(repositoryRoot, 'test/endpoints');
    const files = readdirSync(folder)
      .filter((name) => name.endsWith('.test.ts') && elsewhere.every(([left]) => !left.test(name)))
      .filter((name) => !asksAnInstance(readFileSync(join(folder, name), 'utf8')))
      .map((name) => `test/endpoints/${name}`);
    expect(files.length).to.be.at.least(40);
    const mocha = join(repositoryRoot, 'node_modules/mocha/bin/mocha.js');
    const args = [mocha, '--timeout', '60000', '--reporter', 'dot', '--invert', '--grep', tests.join('|'), ...files];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, {
      cwd: repositoryRoot,
      encoding: 'utf8',
      env: { ...process.env, TEST_IDP_IN_PROCESS: '1', MOCHA_OPTIONS: '' },
      maxBuffer: 64 * 1024 * 1024,
      // Mocha's own timeout cannot interrupt a synchronous wait.
      timeout: 20 * 60_000,
    });
    expect(status, stdout + stderr).to.equal(0);
    expect(Number(/(\d+) passing/.exec(stdout)?.[1])).to.be.at.least(850);
  });
});
