// The tarball of `npm pack`: everything that an installed package needs, nothing else, and the same bytes each time.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type PackedPackage, packedFile, packPackage } from '#test/support/packed-package.ts';
import { repositoryRoot } from '#test/support/source-text.ts';
import { verifies } from '#test/support/verifies.ts';

type Target = string;

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional: boolean }>>;
  readonly exports: Readonly<
    Record<string, Target | Readonly<Record<string, Target | Readonly<Record<string, Target>>>>>
  >;
  readonly scripts: Readonly<Record<string, string>>;
}

describe('the tarball', function () {
  this.timeout(300_000);
  let packed: PackedPackage;
  let manifest: Manifest;
  before(() => {
    packed = packPackage();
    manifest = JSON.parse(packedFile(packed, 'package.json'));
  });
  after(() => packed?.remove());

  verifies('PKG-01', 'is built by npm pack alone, with identical bytes in another directory and with any umask', () => {
    expect(packed.files).to.include('dist/cli.js');
    const again = packPackage({ umask: 0o077 });
    try {
      expect(sha256(again.tarball)).to.equal(sha256(packed.tarball));
    } finally {
      again.remove();
    }
  });

  verifies('PKG-02', 'contains only what an installation needs', () => {
    const named = packed.files.filter((path) => !path.startsWith('dist/'));
    expect(named).to.deep.equal([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'docs/openapi.json',
      'docs/schema/settings.schema.json',
      'docs/schema/users.schema.json',
      'package.json',
    ]);
    const built = packed.files.filter((path) => path.startsWith('dist/'));
    expect(
      built.filter(
        (path) => !/^dist\/(?:[\w-]+\.c?js|types\/(?:[\w-]+\/)?[\w-]+\.d\.c?ts|THIRD-PARTY-LICENCES\.txt)$/.test(path),
      ),
    ).to.deep.equal([]);
  });

  verifies('OAS-08', 'contains the OpenAPI document, which names no server', () => {
    const document = JSON.parse(packedFile(packed, 'docs/openapi.json'));
    expect(document).to.deep.equal(JSON.parse(readFileSync(join(repositoryRoot, 'docs/openapi.json'), 'utf8')));
    expect(document).not.to.have.property('servers');
    expect(manifest.exports['./openapi.json']).to.equal('./docs/openapi.json');
  });

  verifies('PKG-03', 'names every package in dist/ with version and licence text', () => {
    const text = packedFile(packed, 'dist/THIRD-PARTY-LICENCES.txt');
    const sections = text.split(/\n-{80}\n\n/).slice(1);
    const names = sections.map((section) => /^(\S+) \d+\.\d+\.\d+/.exec(section)?.[1]);
    // Some that are certainly included, directly or because another package needs them.
    expect(names).to.include.members(['zod', 'yaml', 'pino', 'preact', '@xmldom/xmldom', 'hono', 'sonic-boom']);
    expect(names).not.to.include('better-sqlite3');
    for (const [index, section] of sections.entries()) {
      expect(section, names[index]).to.match(/permission|licensed under|redistribution and use/i);
      const version = /^\S+ (\S+)/.exec(section)?.[1];
      const name = names[index] ?? '';
      expect(installedVersions(name), name).to.include(version);
    }
  });

  verifies('PKG-04', 'describes itself to npm and runs nothing at installation', () => {
    expect(manifest).not.to.have.property('private');
    expect(manifest).to.include.keys(
      ...['license', 'repository', 'engines', 'bin', 'exports', 'files', 'publishConfig'],
    );
    expect(manifest).to.deep.include({ publishConfig: { access: 'public', provenance: true } });
    expect(manifest.scripts).not.to.have.any.keys('preinstall', 'install', 'postinstall', 'prepare');
  });

  verifies('PKG-05', 'depends on exactly what dist/ loads by name, with optional test runners', () => {
    const loaded = packed.files
      .filter((path) => /\.c?js$/.test(path))
      .flatMap((path) => Array.from(packedFile(packed, path).matchAll(loads), ([, name]) => packageOf(name ?? '')))
      .filter((name) => name !== undefined && !isFragmentOfGeneratedCode(name));
    const peers = Object.keys(manifest.peerDependencies);
    expect([...new Set(loaded)].sort()).to.deep.equal([...Object.keys(manifest.dependencies), ...peers].sort());
    expect(Object.keys(manifest.peerDependenciesMeta)).to.deep.equal(peers);
    for (const { optional } of Object.values(manifest.peerDependenciesMeta)) expect(optional).to.equal(true);
  });

  verifies('PKG-06', 'exports only files that it contains', () => {
    const targets = Object.values(manifest.exports)
      .flatMap((entry) => (typeof entry === 'string' ? [entry] : Object.values(entry)))
      .flatMap((target) => (typeof target === 'string' ? [target] : Object.values(target)))
      .map((target) => target.replace('./', ''));
    expect(packed.files).to.include.members(targets);
  });

  verifies('PKG-08', 'passes publint and are-the-types-wrong', () => {
    const tools = mkdtempSync(join(tmpdir(), 'test-idp-linters-'));
    try {
      writeFileSync(join(tools, 'package.json'), '{"private": true}');
      const packages = ['publint@0.3.25', '@arethetypeswrong/cli@0.18.5'];
      const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
      execFileSync('npm', ['install', ...quiet, ...packages], { cwd: tools, stdio: ['ignore', 'ignore', 'inherit'] });
      execFileSync('tar', ['-xzf', packed.tarball], { cwd: tools });
      writeFileSync(
        join(tools, 'lint.mjs'),
        `import { publint } from 'publint';
const { messages } = await publint({ pkgDir: './package', pack: false, strict: true, level: 'warning' });
console.log(JSON.stringify(messages));`,
      );
      const lint = spawnSync(process.execPath, ['lint.mjs'], { cwd: tools, encoding: 'utf8' });
      expect([lint.status, lint.stdout], lint.stderr).to.deep.equal([0, '[]\n']);
      // Without the resolution of Node.js 10, which does not support exports.
      const options = ['--profile', 'node16'];
      const entries = ['--entrypoints', '.', './vitest', './playwright'];
      const types = spawnSync(join(tools, 'node_modules/.bin/attw'), [packed.tarball, ...options, ...entries], {
        cwd: tools,
        encoding: 'utf8',
      });
      expect(types.status, types.stdout + types.stderr).to.equal(0);
    } finally {
      rmSync(tools, { recursive: true, force: true });
    }
  });

  it('stays small', () => {
    expect(statSync(packed.tarball).size).to.be.at.most(2 * 1024 * 1024);
  });
});

const loads = /(?:\bfrom|\bimport|\bimport\(|\brequire\()\s*["']([\w@][^"'\n]*)["']/g;

/** undefined: part of Node.js. */
function packageOf(specifier: string): string | undefined {
  if (specifier.startsWith('node:') || builtinModules.includes(specifier)) return undefined;
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

/** ajv, inside the MCP SDK, can write modules that load its own runtime. The product never runs that code. */
function isFragmentOfGeneratedCode(name: string): boolean {
  return name === 'ajv' || name === 'ajv-formats';
}

/** A package may exist in several versions, one nested in another. */
function installedVersions(name: string): string[] {
  const lock: { packages: Record<string, { version?: string }> } = JSON.parse(
    readFileSync(join(repositoryRoot, 'package-lock.json'), 'utf8'),
  );
  return Object.entries(lock.packages).flatMap(([path, { version }]) =>
    path.endsWith(`node_modules/${name}`) && version !== undefined ? [version] : [],
  );
}

function sha256(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}
