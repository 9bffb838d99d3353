// What a project can load from the package: only the entries of `exports`, with import or require, and with types that
// need no other package. The package is laid out as if installed, with stand-ins for the test runners.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { repositoryRoot } from '#test/support/source-text.ts';
import { verifies } from '#test/support/verifies.ts';

const manifest = JSON.parse(readFileSync(join(repositoryRoot, 'package.json'), 'utf8'));
const codeEntries = ['.', './vitest', './playwright'];
const dataEntries = ['./openapi.json', './schema/settings.json', './schema/users.json', './package.json'];

describe('the entries of the package', function () {
  this.timeout(120_000);
  let project: string;
  before(() => {
    project = mkdtempSync(join(tmpdir(), 'test-idp-entries-'));
    const installed = join(project, 'node_modules', 'test-idp');
    for (const path of ['dist', 'package.json', 'docs/openapi.json', 'docs/schema']) {
      mkdirSync(dirname(join(installed, path)), { recursive: true });
      cpSync(join(repositoryRoot, path), join(installed, path), { recursive: true });
    }
    symlinkSync(join(repositoryRoot, 'node_modules/better-sqlite3'), join(project, 'node_modules/better-sqlite3'));
    for (const runner of ['vitest', '@playwright/test']) {
      const directory = join(project, 'node_modules', runner);
      mkdirSync(directory, { recursive: true });
      writeFileSync(join(directory, 'package.json'), '{"type": "module", "exports": "./index.js"}');
      writeFileSync(
        join(directory, 'index.js'),
        'export const test = { extend: (fixtures) => Object.keys(fixtures) };',
      );
    }
  });
  after(() => rmSync(project, { recursive: true, force: true }));

  /** What a script of that project prints as JSON. */
  function run(name: string, script: string): unknown {
    writeFileSync(join(project, name), script);
    const { status, stdout, stderr } = spawnSync(process.execPath, [name], { cwd: project, encoding: 'utf8' });
    expect([status, stderr], name).to.deep.equal([0, '']);
    return JSON.parse(stdout);
  }

  verifies('PKG-06', 'are these, with existing files for code and types', () => {
    expect(Object.keys(manifest.exports)).to.deep.equal([...codeEntries, ...dataEntries]);
    for (const entry of codeEntries) {
      const { types, ...code } = manifest.exports[entry];
      expect(Object.keys(manifest.exports[entry]), entry).to.deep.equal(['types', 'require', 'default']);
      expect(Object.keys(types), entry).to.deep.equal(['require', 'default']);
      for (const target of [...Object.values<string>(types), ...Object.values<string>(code)]) {
        expect(existsSync(join(project, 'node_modules/test-idp', target)), target).to.equal(true);
      }
    }
    const files = run(
      'data.cjs',
      `const names = ${JSON.stringify(dataEntries)}.map((entry) => entry.replace('.', 'test-idp'));
console.log(JSON.stringify(names.map((name) => Object.keys(require(name)).length > 2)));`,
    );
    expect(files).to.deep.equal([true, true, true, true]);
  });

  verifies('PKG-06', 'are all that Node.js allows to load', () => {
    const refused = run(
      'refused.mjs',
      `const paths = ['test-idp/dist/index.js', 'test-idp/dist/cli.js', 'test-idp/api/index.ts', 'test-idp/README.md'];
const codes = await Promise.all(paths.map((path) => import(path).then(() => 'loaded', ({ code }) => code)));
console.log(JSON.stringify(codes));`,
    );
    expect(refused).to.deep.equal(Array(4).fill('ERR_PACKAGE_PATH_NOT_EXPORTED'));
  });

  verifies('PKG-07', 'are the same module for import and require', () => {
    const script = `const { createRequire } = require('node:module');
(async () => {
  const names = ['test-idp', 'test-idp/vitest', 'test-idp/playwright'];
  const pairs = await Promise.all(names.map(async (name) => [require(name), await import(name)]));
  const [[{ IdpError }, { startIdp }], [vitest], [playwright]] = pairs;
  const refused = await startIdp({ unheardOf: true }).catch((error) => error instanceof IdpError && error.kind);
  const same = pairs.map(([required, imported]) =>
    Object.keys(imported).every((name) => name === 'module.exports' || required[name] === imported[name]));
  console.log(JSON.stringify({ same, refused, vitest: vitest.test, playwright: playwright.test }));
})();`;
    expect(run('both.cjs', script)).to.deep.equal({
      ...{ same: [true, true, true], refused: 'invalid_option' },
      ...{ vitest: ['idpOptions', 'idpWorker', 'idp'] },
      playwright: ['idpOptions', 'idpFiles', 'idpOfFile', 'idp', 'loginAs'],
    });
  });

  for (const [module, resolution, type] of [
    ['node16', 'node16', 'module'],
    ['nodenext', 'nodenext', 'module'],
    ['esnext', 'bundler', 'module'],
    ['node16', 'node16', 'commonjs'],
    ['nodenext', 'nodenext', 'commonjs'],
  ] as const) {
    const kind = `a strict ${type} project with ${resolution}`;
    verifies('PKG-08', `have types that ${kind} compiles without other packages`, () => {
      const directory = join(project, `${type}-${resolution}`);
      mkdirSync(directory, { recursive: true });
      const compilerOptions = {
        ...{ strict: true, skipLibCheck: false, noEmit: true, types: [], lib: ['ES2022'], target: 'ES2022' },
        ...{ module, moduleResolution: resolution },
      };
      writeFileSync(join(directory, 'package.json'), JSON.stringify({ type }));
      writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
      const compile = (text: string) => {
        writeFileSync(join(directory, 'use.ts'), text);
        const compiler = join(repositoryRoot, 'node_modules/typescript/bin/tsc');
        return spawnSync(process.execPath, [compiler, '-p', directory], { encoding: 'utf8' });
      };
      const fine = compile(`import { connectIdp, IdpError, startIdp, type Idp, type StartOptions } from 'test-idp';
const options: StartOptions = { users: { alice: { password: 'a' } }, clients: { web: { client_secret: 's' } } };
export async function use(): Promise<readonly [string, number, string, number, string | undefined]> {
  const idp: Idp = await startIdp(options);
  const stack = await startIdp({ stack: true });
  const { access_token } = await idp.token({ user: 'alice' });
  const { params } = await (await connectIdp(idp.url)).login({ url: idp.url, user: 'alice' });
  return [idp.issuer, stack.pid, access_token, (await idp.api.listFaults()).count, params.code];
}
export const kind = (error: unknown): string | undefined => (error instanceof IdpError ? error.kind : undefined);
`);
      expect([fine.status, fine.stdout]).to.deep.equal([0, '']);
      const wrong = compile("import { startIdp } from 'test-idp';\nvoid startIdp({ port: 'eighty' });\n");
      expect(wrong.stdout).to.match(/use\.ts\(2,.*error TS2769/);
    });
  }

  verifies('PKG-05', 'need what dist/ loads by name, and only the installed test runners', () => {
    expect(Object.keys(manifest.dependencies)).to.deep.equal(['better-sqlite3']);
    expect(Object.keys(manifest.peerDependencies)).to.deep.equal(['@playwright/test', 'vitest']);
    expect(manifest.peerDependenciesMeta).to.deep.equal({
      '@playwright/test': { optional: true },
      vitest: { optional: true },
    });
  });
});
