// An instance leaves nothing behind in its process (API-08, API-31, API-32).
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { apiPath } from '#test/support/start-api.ts';
import { verifies } from '#test/support/verifies.ts';

const fixture = (name: string) => fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));

function run(what: string, script = fixture('start-api-traces.mjs')) {
  // A directory for temporary files that no other process writes to.
  const TMPDIR = mkdtempSync(join(tmpdir(), 'test-idp-traces-'));
  try {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--no-warnings', script, apiPath, what], {
      encoding: 'utf8',
      timeout: 60_000,
      env: { ...process.env, TMPDIR, NODE_OPTIONS: '' },
    });
    return { status, stderr, lines: stdout.trim().split('\n') };
  } finally {
    rmSync(TMPDIR, { recursive: true, force: true });
  }
}

describe('the process of an instance', function () {
  this.timeout(90_000);

  verifies(['API-08', 'API-31'], 'is unchanged while it runs, and has nothing left after it has stopped', () => {
    const { status, stderr, lines } = run('once');
    expect([status, stderr, lines.length]).to.deep.equal([0, '', 1]);
    const { before, during, after, left, same, children } = JSON.parse(lines[0] ?? '');
    expect(during).to.deep.equal(before);
    expect(after).to.deep.equal(before);
    expect({ left, same, children }).to.deep.equal({ left: [], same: true, children: '' });
  });

  verifies(
    'API-33',
    'keeps its own globals, modules, signals, exits and output, regardless of what is loaded and run in it',
    () => {
      const directory = mkdtempSync(join(tmpdir(), 'test-idp-globals-'));
      try {
        const { status, stderr, lines } = run(directory, fixture('start-api-globals.mjs'));
        expect([status, stderr, lines.length]).to.deep.equal([0, '', 1]);
        expect(JSON.parse(lines[0] ?? '')).to.deep.equal({ loaded: [], during: [], after: [] });
      } finally {
        rmSync(directory, { recursive: true, force: true });
      }
    },
  );

  verifies('API-32', 'ends even if the instance was not stopped', () => {
    const { status, stderr, lines } = run('forgotten');
    expect([status, stderr]).to.deep.equal([0, '']);
    expect(JSON.parse(lines[0] ?? '').url).to.match(/^http:/);
  });
});
