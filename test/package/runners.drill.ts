// The test runners, each in its exact version in its own project with the packed package: the guides as written, the
// types of the fixtures, and instances in workers (API-34, API-38 to API-41).
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { toolOrSkip } from '#test/support/debian-programs.ts';
import { followGuide } from '#test/support/guide-blocks.ts';
import { nodeRelease } from '#test/support/node-releases.ts';
import {
  type InstalledPackage,
  installPackage,
  type PackedPackage,
  packPackage,
} from '#test/support/packed-package.ts';
import { repositoryRoot } from '#test/support/source-text.ts';
import { startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';

const versions = {
  vitest: '4.1.12',
  playwright: '1.65.1',
  jest: '30.5.2',
} as const;
/** The lowest supported version. */
const oldestVitest = { version: '3.2.0', node: undefined };
/** The newest vitest does not support Node.js 20. */
const newestVitest = { version: '5.1.1', node: '24.21.0' };

describe('the runners', function () {
  this.timeout(600_000);
  let packed: PackedPackage;
  let installed: InstalledPackage;
  const projects: string[] = [];
  before(() => {
    packed = packPackage();
    // An install script compiles or downloads SQLite, which Node.js 20 needs. Once is enough.
    installed = installPackage(packed, { scripts: true });
  });
  after(() => {
    installed?.remove();
    for (const project of projects) rmSync(project, { recursive: true, force: true });
    packed?.remove();
  });

  /** A project with the package and these others, written as the guide says. */
  function makeProject(guide: string | undefined, ...packages: readonly string[]) {
    const project = mkdtempSync(join(tmpdir(), 'test-idp-runners-'));
    projects.push(project);
    cpSync(installed.project, project, { recursive: true });
    if (packages.length > 0) {
      const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
      execFileSync('npm', ['install', ...quiet, ...packages], { cwd: project, stdio: ['ignore', 'ignore', 'inherit'] });
    }
    return { project, commands: guide === undefined ? '' : followGuide(guide, project) };
  }

  function run(project: string, commands: string, more: Readonly<Record<string, string>> = {}): string {
    const { NODE_OPTIONS: _, MOCHA_OPTIONS: __, ...inherited } = process.env;
    const env = { ...inherited, NO_COLOR: '1', FORCE_COLOR: '0', CI: '1', ...more };
    const { status, stdout, stderr } = spawnSync('bash', ['-ec', commands], {
      cwd: project,
      encoding: 'utf8',
      env,
      timeout: 300_000,
    });
    expect(status, stdout + stderr).to.equal(0);
    return stdout + stderr;
  }

  const compile = (project: string, text: string) => {
    writeFileSync(join(project, 'types.mts'), text);
    const compilerOptions = {
      ...{ strict: true, noEmit: true, skipLibCheck: true, types: [], target: 'ES2022' },
      ...{ module: 'nodenext', moduleResolution: 'nodenext', lib: ['ES2022', 'DOM'] },
    };
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['types.mts'] }));
    const compiler = join(repositoryRoot, 'node_modules/typescript/bin/tsc');
    return spawnSync(process.execPath, [compiler, '-p', project], { encoding: 'utf8' }).stdout;
  };

  for (const { version, node } of [oldestVitest, { version: versions.vitest, node: undefined }, newestVitest]) {
    verifies(['API-38', 'API-40', 'API-41'], `run the guide of vitest ${version} as written`, async () => {
      const { project, commands } = makeProject('vitest.md', `vitest@${version}`);
      const path = node === undefined ? {} : { PATH: `${join(nodeRelease(node), '..')}:${process.env.PATH}` };
      expect(run(project, commands, path)).to.match(/Tests\s+3 passed \(3\)/);
      // Both files run in one worker, one after the other. Each still has its own sandbox.
      expect(run(project, 'npx vitest run --no-isolate --no-file-parallelism', path)).to.match(
        /Tests\s+3 passed \(3\)/,
      );
      const used = `import { test } from 'test-idp/vitest';
test('typed', async ({ idp }) => {
  const issuer: string = idp.issuer;
  // @ts-expect-error there is no such member
  idp.unheardOf;
  return void issuer;
});
`;
      expect(compile(project, used)).to.equal('');
    });
  }

  verifies('API-38', 'make the vitest fixture connect instead of start with IDP_URL', async () => {
    const { project } = makeProject(undefined, `vitest@${versions.vitest}`);
    writeFileSync(
      join(project, 'connected.test.mjs'),
      `import { expect } from 'vitest';
import { test } from 'test-idp/vitest';
test('connects', ({ idp }) => expect(idp.url.startsWith(process.env.IDP_URL + '/s/')).toBe(true));
`,
    );
    const idp = await startIdp();
    try {
      expect(run(project, 'npx vitest run', { IDP_URL: idp.baseUrl })).to.match(/Tests\s+1 passed \(1\)/);
      expect((await idp.api('GET', '/api/sandboxes')).body.count).to.equal(0);
    } finally {
      await idp.stop();
    }
  });

  verifies('API-34', 'neither block an instance nor move its clock with fake timers of vitest', () => {
    const { project } = makeProject(undefined, `vitest@${versions.vitest}`);
    writeFileSync(
      join(project, 'timers.test.mjs'),
      `import { afterEach, beforeEach, expect, vi } from 'vitest';
import { test } from 'test-idp/vitest';
const realNow = Date.now();
beforeEach(() => void vi.useFakeTimers({ now: new Date('2001-02-03T04:05:06Z') }));
afterEach(() => vi.useRealTimers());
test('goes on by its own clock', async ({ idp }) => {
  await idp.addUser({ username: 'zoe', password: 'z' });
  const { access_token } = await idp.token({ user: 'zoe' });
  const { iat } = JSON.parse(atob(access_token.split('.')[1]));
  expect(new Date().getUTCFullYear()).toBe(2001);
  expect(Math.abs(iat * 1000 - realNow)).toBeLessThan(60_000);
  await idp.clock.advance('1h');
  await idp.reset();
});
`,
    );
    expect(run(project, 'npx vitest run')).to.match(/Tests\s+1 passed \(1\)/);
  });

  verifies('API-40', 'run the guide of jest as written', () => {
    const { project, commands } = makeProject('jest.md', `jest@${versions.jest}`);
    // First without options, then with the ES modules of Node.js.
    expect(run(project, commands).match(/Tests:\s+1 passed, 1 total/g)).to.have.length(2);
  });

  for (const guide of ['mocha.md', 'node-test.md']) {
    verifies('API-40', `run ${guide} as written with the installed package`, () => {
      const { version } = JSON.parse(readFileSync(join(repositoryRoot, 'node_modules/mocha/package.json'), 'utf8'));
      const { project, commands } = makeProject(guide, ...(guide === 'mocha.md' ? [`mocha@${version}`] : []));
      expect(run(project, commands)).to.match(/2 passing|pass 2/);
    });
  }

  verifies(['API-39', 'API-40', 'API-41'], 'run the guide of Playwright as written', function () {
    const executablePath = toolOrSkip(this, 'chromium');
    const { project, commands } = makeProject('playwright.md', `@playwright/test@${versions.playwright}`);
    const launchOptions = { executablePath, args: ['--no-sandbox'] };
    writeFileSync(
      join(project, 'playwright.config.mjs'),
      `export default { reporter: 'line', use: { launchOptions: ${JSON.stringify(launchOptions)} } };\n`,
    );
    // A second file in a second worker, with another user zoe.
    const text = readFileSync(join(project, 'login.spec.mjs'), 'utf8');
    writeFileSync(join(project, 'again.spec.mjs'), text.replaceAll('secret of zoe', 'secret of another zoe'));
    expect(run(project, `${commands.trim()} --workers 2`)).to.match(/4 passed/);
    // Then both in one worker.
    expect(run(project, `${commands.trim()} --workers 1`)).to.match(/4 passed/);
    const used = `import { test } from 'test-idp/playwright';
test.use({ idpOptions: { users: { alice: { password: 'a' } } } });
test('typed', async ({ idp, page, loginAs }) => {
  await loginAs('alice', { url: idp.url });
  const title: string = await page.title();
  // @ts-expect-error a user is a text
  await loginAs(1);
  return void title;
});
`;
    expect(compile(project, used)).to.equal('');
  });
});
