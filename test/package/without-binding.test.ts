// An installation whose SQLite binding cannot be loaded (PKG-11). Node.js is told to load no native code at all, which is
// what a missing binding comes to; where it has an SQLite of its own nobody notices.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { skipBecause } from '#test/support/debian-programs.ts';
import { cliPath, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';

const hasOwnSqlite = process.getBuiltinModule('node:sqlite') !== undefined;

describe('without the SQLite binding', function () {
  this.timeout(60_000);
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'test-idp-unbound-'));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  const env = { ...process.env, NODE_OPTIONS: '--no-addons' };
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [cliPath, ...args], { cwd: directory, env, encoding: 'utf8', timeout: 30_000 });

  for (const command of ['start', 'oidc', 'saml', 'mcp']) {
    verifies(
      'PKG-11',
      `${command} ends with one sentence and the remedy, unless Node.js has an SQLite of its own`,
      function () {
        if (hasOwnSqlite) skipBecause(this, 'this Node.js has an SQLite of its own');
        const { status, stdout, stderr } = run(command, ...(command === 'mcp' ? [] : ['--port', '0']));
        expect([status, stdout]).to.deep.equal([1, '']);
        const sentences = stderr.split('\n').filter((line) => line !== '' && !line.startsWith('{'));
        expect(sentences).to.have.length(1);
        expect(sentences[0])
          .to.include(`SQLite is not available for Node.js ${process.version} (`)
          .and.to.include('npm rebuild better-sqlite3')
          .and.to.include('Node.js 22.13 or newer');
      },
    );
  }

  verifies('PKG-11', 'what needs no store works all the same', async () => {
    for (const args of [['--help'], ['--version'], ['init', 'config'], ['validate-config'], ['config-schema']]) {
      const { status, stderr } = run(...args);
      expect([status, stderr], args.join(' ')).to.deep.equal([0, '']);
    }
    const idp = await startIdp({ command: 'oidc' });
    try {
      for (const args of [
        ['health', '--url', idp.baseUrl],
        ['token', '--url', idp.baseUrl, '--client', 'web:web-secret'],
      ]) {
        const { status, stderr } = run(...args);
        expect([status, stderr], args.join(' ')).to.deep.equal([0, '']);
      }
    } finally {
      await idp.stop();
    }
  });
});
