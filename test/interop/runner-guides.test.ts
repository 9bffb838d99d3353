// The guides of test runners that need only this project's packages, run as written (API-40). test/package/runners.drill.ts
// runs the others with the real runners.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { toolOrSkip } from '#test/support/debian-programs.ts';
import { followGuide } from '#test/support/guide-blocks.ts';
import { repositoryRoot } from '#test/support/source-text.ts';
import { verifies } from '#test/support/verifies.ts';

describe('the guides of test runners', function () {
  this.timeout(120_000);
  let project: string;
  beforeEach(() => {
    project = mkdtempSync(join(tmpdir(), 'test-idp-runner-'));
    const modules = join(project, 'node_modules');
    mkdirSync(modules);
    writeFileSync(join(project, 'package.json'), '{"private": true}');
    symlinkSync(repositoryRoot, join(modules, 'test-idp'));
    for (const name of ['mocha', '.bin']) symlinkSync(join(repositoryRoot, 'node_modules', name), join(modules, name));
  });
  afterEach(() => rmSync(project, { recursive: true, force: true }));

  for (const [guide, passed] of [
    ['mocha.md', /^ *2 passing/m],
    ['node-test.md', /^# pass 2$/m],
  ] as const) {
    verifies('API-40', `contain ${guide}, which runs as written`, function () {
      const bash = toolOrSkip(this, 'bash');
      const commands = followGuide(guide, project);
      // The runner inside must not inherit this test process's own environment.
      const { NODE_TEST_CONTEXT: _, MOCHA_OPTIONS: __, NODE_OPTIONS: ___, ...env } = process.env;
      const { status, stdout, stderr } = spawnSync(bash, ['-ec', commands], { cwd: project, encoding: 'utf8', env });
      expect(status, stdout + stderr).to.equal(0);
      expect(stdout.replace(/^ℹ /gm, '# ')).to.match(passed);
    });
  }

  it('contain cypress.md with a configuration whose tasks work', async () => {
    followGuide('cypress.md', project);
    const stub = join(project, 'node_modules', 'cypress');
    mkdirSync(stub);
    writeFileSync(join(stub, 'package.json'), '{"type": "module", "exports": "./index.js"}');
    writeFileSync(join(stub, 'index.js'), 'export const defineConfig = (configuration) => configuration;');
    type Task = (given?: object) => Promise<Readonly<Record<string, unknown>> | null>;
    const events = new Map<string, unknown>();
    const { default: configuration } = await import(pathToFileURL(join(project, 'cypress.config.mjs')).href);
    const on = (event: string, handler: unknown) => events.set(event, handler);
    const { env } = await configuration.e2e.setupNodeEvents(on, { env: { OTHER: 1 } });
    const stop = events.get('after:run') as () => Promise<void>;
    try {
      const tasks = events.get('task') as Readonly<Record<'idp:addUser' | 'idp:token' | 'idp:reset', Task>>;
      expect([env.OTHER, (await fetch(`${env.ISSUER}/health`)).status]).to.deep.equal([1, 200]);
      expect(await tasks['idp:addUser']({ username: 'zoe', password: 'z' })).to.include({ username: 'zoe' });
      expect(await tasks['idp:token']({ user: 'zoe' })).to.have.property('access_token');
      expect(await tasks['idp:reset']()).to.equal(null);
    } finally {
      await stop();
    }
  });
});
