// The tarball installed in an empty project, without and with install scripts, on the lowest and the newest Node.js that
// `engines` admits and on those between (PKG-09 to PKG-12, PKG-18).
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import { basic, claimsOf, postForm } from '#test/support/http.ts';
import { median } from '#test/support/median.ts';
import { nodeRelease } from '#test/support/node-releases.ts';
import {
  type InstalledPackage,
  installPackage,
  type PackedPackage,
  packPackage,
} from '#test/support/packed-package.ts';
import { repositoryRoot } from '#test/support/source-text.ts';
import { until } from '#test/support/stack.ts';
import { verifies } from '#test/support/verifies.ts';

const lowest = '20.19.0';
/** The first of its line that requires ES modules; `engines` names it. */
const firstWithRequire = '22.12.0';
/** The first of its line whose SQLite needs no flag, and the newest of each later line. */
const withOwnSqlite = ['22.13.0', '24.21.0', '26.10.0'];
const newest = '26.10.0';

interface Started {
  readonly baseUrl: string;
  log(): string;
  stop(): Promise<number | null>;
}

describe('the installed package', function () {
  this.timeout(600_000);
  let packed: PackedPackage;
  let installed: InstalledPackage;
  let directory: string;
  before(() => {
    packed = packPackage();
    installed = installPackage(packed);
  });
  after(() => {
    packed?.remove();
    installed?.remove();
  });
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'test-idp-anywhere-'));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  const entry = ({ project }: InstalledPackage) => join(project, 'node_modules', 'test-idp', 'dist', 'cli.js');

  const run = (node: string, where: InstalledPackage, ...args: string[]) =>
    spawnSync(node, [entry(where), ...args], { cwd: directory, encoding: 'utf8' });

  async function start(program: string, ...args: string[]): Promise<Started> {
    const child = spawn(program, [...args, '--port', '0', '--ready-json'], { cwd: directory });
    let log = '';
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      log += chunk;
    });
    const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
    const line = new Promise<string>((resolve) => createInterface({ input: child.stdout }).once('line', resolve));
    const ended = exited.then((code) => {
      throw new Error(`it ended with exit code ${code}:\n${log}`);
    });
    const ready = JSON.parse(await Promise.race([line, ended]));
    return {
      baseUrl: ready.base_url,
      log: () => log,
      stop: () => {
        // npx does not hand a signal on to what it runs.
        process.kill(ready.pid, 'SIGTERM');
        return exited;
      },
    };
  }

  async function firstToken({ baseUrl }: Started): Promise<Record<string, unknown>> {
    const form = { grant_type: 'client_credentials' };
    const answer = await postForm(`${baseUrl}/token`, form, { Authorization: basic('demo-client', 'demo-secret') });
    return claimsOf((await answer.json()).access_token);
  }

  /** Everything that an installation is for, on this Node.js. */
  async function tryEverything(node: string, where: InstalledPackage): Promise<void> {
    const idp = await start(node, entry(where), 'start');
    try {
      expect(await firstToken(idp)).to.include({ iss: idp.baseUrl, sub: 'demo-client' });
      expect(await (await fetch(`${idp.baseUrl}/saml/metadata`)).text()).to.include('EntityDescriptor');
      const log = await (await fetch(`${idp.baseUrl}/api/audit`)).json();
      expect(JSON.stringify(log)).to.include('token_request');
      expect(run(node, where, 'health', '--url', idp.baseUrl)).to.include({ status: 0, stderr: '' });
      const token = run(node, where, 'token', '--url', idp.baseUrl, '--user', 'admin');
      expect([token.status, claimsOf(token.stdout).sub]).to.deep.equal([0, 'admin']);
    } finally {
      expect(await idp.stop()).to.equal(0);
    }
    expect(idp.log()).not.to.match(/ExperimentalWarning|Deprecat/);
    expect(readdirSync(directory)).to.deep.equal([]);

    expect(run(node, where, 'init', 'config').status).to.equal(0);
    expect(run(node, where, 'validate-config', '--strict').status).to.equal(0);
    writeFileSync(join(directory, 'config', 'settings.yaml'), 'runtime: {store: sqlite, path: ../state/runtime.db}\n');
    for (const expected of [201, 409]) {
      const kept = await start(node, entry(where), 'start', '--oidc-workers', '2');
      try {
        const answer = await fetch(`${kept.baseUrl}/api/runtime/users`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: '{"username": "kept", "password": "kept"}',
        });
        expect(answer.status).to.equal(expected);
      } finally {
        expect(await kept.stop()).to.equal(0);
      }
    }
  }

  for (const version of withOwnSqlite) {
    verifies(['PKG-10', 'PKG-12'], `works on Node.js ${version} without any install script`, async () => {
      await tryEverything(nodeRelease(version), installed);
    });
  }

  for (const version of [lowest, firstWithRequire, newest]) {
    verifies('PKG-07', `is one module by import and by require on Node.js ${version}`, () => {
      const script = `const { startIdp } = require('test-idp');
import('test-idp').then((imported) => console.log(imported.startIdp === startIdp));`;
      writeFileSync(join(installed.project, 'both.cjs'), script);
      const { status, stdout, stderr } = spawnSync(nodeRelease(version), ['--no-warnings', 'both.cjs'], {
        cwd: installed.project,
        encoding: 'utf8',
      });
      expect([status, stdout, stderr]).to.deep.equal([0, 'true\n', '']);
    });
  }

  verifies('PKG-11', `says on Node.js ${lowest} what is missing, and does what needs no store`, () => {
    const node = nodeRelease(lowest);
    const { status, stderr } = run(node, installed, 'start', '--port', '0');
    expect(status).to.equal(1);
    expect(stderr).to.include(`SQLite is not available for Node.js v${lowest} (`);
    for (const args of [['--version'], ['init', 'config'], ['validate-config'], ['config-schema']]) {
      expect(run(node, installed, ...args), args.join(' ')).to.include({ status: 0, stderr: '' });
    }
  });

  verifies('PKG-12', 'works with install scripts on the lowest Node.js', async () => {
    const whole = installPackage(packed, { scripts: true });
    try {
      await tryEverything(nodeRelease(lowest), whole);
      for (const name of readdirSync(directory)) rmSync(join(directory, name), { recursive: true });
      await tryEverything(process.execPath, whole);
    } finally {
      whole.remove();
    }
  });

  verifies('PKG-09', 'stays within its sizes', () => {
    const modules = join(installed.project, 'node_modules');
    const kibibytes = Number(execFileSync('du', ['-sk', modules], { encoding: 'utf8' }).split('\t')[0]);
    expect(kibibytes).to.be.at.most(64 * 1024);
    const packages = execFileSync('find', [modules, '-name', 'package.json', '-path', '*/node_modules/*'], {
      encoding: 'utf8',
    });
    const roots = packages.split('\n').filter((path) => /node_modules\/(?:@[^/]+\/)?[^/]+\/package\.json$/.test(path));
    expect(roots.length).to.be.within(2, 45);
    const unpacked = Number(
      execFileSync('du', ['-sk', join(modules, 'test-idp')], { encoding: 'utf8' }).split('\t')[0],
    );
    expect(unpacked).to.be.at.most(8 * 1024);
    const packedKibibytes = Number(execFileSync('du', ['-k', packed.tarball], { encoding: 'utf8' }).split('\t')[0]);
    expect(packedKibibytes).to.be.at.most(2 * 1024);
  });

  it('keeps the contract of the store on the SQLite of Node.js itself', () => {
    const mocha = join(repositoryRoot, 'node_modules', 'mocha', 'bin', 'mocha.js');
    const suites = ['memory-store', 'sqlite-store', 'two-handles'].map(
      (name) => `test/contract/${name}.contract.test.ts`,
    );
    for (const version of ['22.13.0', newest]) {
      const args = ['--no-addons', mocha, '--no-parallel', '--timeout', '60000', ...suites];
      const { status, stdout } = spawnSync(nodeRelease(version), args, { cwd: repositoryRoot, encoding: 'utf8' });
      expect(status, stdout).to.equal(0);
      expect(Number(/(\d+) passing/.exec(stdout)?.[1])).to.be.at.least(100);
    }
  });

  verifies('PKG-18', 'answers its first token about as soon as the checkout does', async () => {
    const checkout = join(repositoryRoot, 'dist', 'cli.js');
    // With a binding in it, as the checkout has: what is compared are the two ways to start.
    const build = join(repositoryRoot, 'node_modules', 'better-sqlite3', 'build');
    const target = join(installed.project, 'node_modules', 'better-sqlite3', 'build');
    if (!existsSync(target)) execFileSync('cp', ['-a', build, target]);
    mkdirSync(join(installed.project, 'empty'), { recursive: true });
    const seconds = async (program: string, ...args: string[]) => {
      const began = performance.now();
      const idp = await start(program, ...args, 'start');
      await until('a token is there', async () => (await firstToken(idp)).sub === 'demo-client');
      const took = performance.now() - began;
      await idp.stop();
      return took;
    };
    const [npx, plain]: [number[], number[]] = [[], []];
    for (let round = 0; round < 5; round += 1) {
      plain.push(await seconds(process.execPath, checkout));
      npx.push(await seconds('npx', '--prefix', installed.project, '--no-install', 'test-idp'));
    }
    expect(median(npx)).to.be.at.most(2.5 * median(plain));
  });
});
