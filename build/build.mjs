// Bundles the program into dist/: one entry for each process, shared code in chunks, and lazy loading of what a command
// does not need. The entries for users are ES modules: `cli.js` loads its bundle with `load-program.cjs`, and
// `index.js` exports that of its own. `require` returns the bundle of the library. `--if-stale` does nothing while
// dist/ is newer than every source.
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeCommonJs } from './common-js.mjs';
import { writeDeclarations } from './declarations.mjs';
import { expressRouter } from './express-router.mjs';
import { nothingGlobal } from './nothing-global.mjs';
import { setPackedModes } from './packed-modes.mjs';
import { thirdPartyLicences } from './third-party-licences.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const folders = ['api', 'cli', 'supervisor', 'services', 'shared', 'build'];
/** Each is a process or thread of its own. */
const programs = {
  cli: 'cli/main.ts',
  'worker-oidc': 'services/oidc/main.ts',
  'worker-saml': 'services/saml/main.ts',
  'worker-mcp': 'services/mcp/main.ts',
  'worker-demo': 'services/demo/main.ts',
  'stack-process': 'api/stack/stack-process.ts',
  'configuration-thread': 'shared/process/worker/configuration-thread.ts',
  'password-thread': 'shared/engine/login/hashed-passwords/thread.ts',
};
/** Loaded into the process of a test. */
const library = { index: 'api/index.ts' };
/**
 * ES modules like the test runners that load them. Every Node.js of `engines` can require them. What they import from
 * the library must be the instance that `index` has.
 */
const runners = { vitest: 'api/runners/vitest.ts', playwright: 'api/runners/playwright.ts' };
const taken = { 'worker-instance': 'api/runners/worker-instance.ts', errors: 'api/errors.ts' };
const entries = { ...programs, ...library, ...runners };

function newest(path) {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(0, ...readdirSync(path).map((name) => newest(join(path, name))));
}

function isFresh() {
  try {
    const built = Math.min(...Object.keys(entries).map((name) => statSync(join(root, 'dist', `${name}.js`)).mtimeMs));
    const sources = [...folders, 'docs/openapi.json', 'package.json', 'package-lock.json'].map((name) =>
      newest(join(root, name)),
    );
    return built > Math.max(...sources);
  } catch {
    return false;
  }
}

if (process.argv.includes('--if-stale') && isFresh()) process.exit(0);

const { build, transform } = await import('esbuild');
const { pageFiles } = await import('./page-files.mjs');
// Built next to the old one and exchanged at the end, so that a running program never finds an incomplete one.
const fresh = join(root, `dist.${process.pid}.new`);
const common = {
  absWorkingDir: root,
  outdir: fresh,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  external: ['better-sqlite3', 'vitest', '@playwright/test'],
  alias: { 'pg-native': './build/no-native-driver.cjs' },
  inject: ['build/globals-at-load.js'],
  define: { 'process.nextTick': 'nextTickAtLoad' },
  sourcemap: false,
  // Names are kept, so that a stack trace in the log still shows the function.
  minifySyntax: true,
  minifyWhitespace: true,
  logLevel: 'warning',
  metafile: true,
};
const bundled = { ...common, splitting: true, outExtension: { '.js': '.cjs' } };
// The MCP worker is built separately. Its SDK needs all of zod, which the frontends would otherwise load.
const { 'worker-mcp': mcp, ...frontends } = programs;
const mcpApart = {
  name: 'mcp-apart',
  setup: ({ onResolve }) => {
    onResolve({ filter: /^#services\/mcp\/main\.ts$/ }, () => ({ path: './worker-mcp.cjs', external: true }));
  },
};

/** An ES module that exports what the bundle of this name exports, according to the metafile of its build. */
function standingFor({ outputs }, name) {
  const [, { exports }] = Object.entries(outputs).find(([path]) => path.endsWith(`/${name}.cjs`));
  return `export { ${exports.join(', ')} } from './${name}.cjs';\n`;
}

/** Replaces a module that a runner and the library share. */
function takenFromTheLibrary(metafile) {
  return {
    name: 'taken-from-the-library',
    setup({ onLoad, onResolve }) {
      onResolve({ filter: /^\.\/[\w-]+\.cjs$/ }, ({ path }) => ({ path, external: true }));
      for (const [name, path] of Object.entries(taken)) {
        const filter = new RegExp(`/${path.replaceAll('.', '\\.')}$`);
        onLoad({ filter }, () => ({ contents: standingFor(metafile, name), loader: 'js' }));
      }
    },
  };
}

function makeCommand(path) {
  writeFileSync(path, `#!/usr/bin/env node\n${readFileSync(path, 'utf8')}`);
  chmodSync(path, 0o755);
}

/** Named after the built content, so that two builds never share compiled code. */
async function writeLoader(directory) {
  const everything = createHash('sha256');
  for (const name of readdirSync(directory).sort()) everything.update(readFileSync(join(directory, name)));
  const id = everything.digest('hex').slice(0, 16);
  const text = readFileSync(join(root, 'build/load-program.cjs'), 'utf8');
  const { code } = await transform(text.replace('__BUILD__', id), { minifyWhitespace: true });
  writeFileSync(join(directory, 'load-program.cjs'), code);
  mkdirSync(join(directory, 'code-cache', id), { recursive: true });
}

try {
  const results = await Promise.all([
    build({
      ...bundled,
      entryPoints: { ...frontends, ...library, ...taken },
      plugins: [mcpApart, pageFiles, nothingGlobal, expressRouter],
    }),
    build({
      ...bundled,
      entryPoints: { 'worker-mcp': mcp },
      chunkNames: 'mcp-[name]-[hash]',
      plugins: [pageFiles, nothingGlobal],
    }),
  ]);
  await makeCommonJs(
    fresh,
    results.map(({ metafile }) => metafile),
  );
  const [{ metafile: main }] = results;
  for (const name of Object.keys(programs)) {
    writeFileSync(join(fresh, `${name}.js`), `import { load } from './load-program.cjs';\nload('${name}');\n`);
  }
  for (const name of Object.keys(library)) writeFileSync(join(fresh, `${name}.js`), standingFor(main, name));
  makeCommand(join(fresh, 'cli.js'));
  results.push(await build({ ...common, entryPoints: runners, plugins: [takenFromTheLibrary(main)] }));
  for (const name of Object.keys(runners)) {
    writeFileSync(join(fresh, `${name}.cjs`), `module.exports = require('./${name}.js');\n`);
  }
  await writeLoader(fresh);
  const metafiles = results.map(({ metafile }) => metafile);
  writeFileSync(join(fresh, 'THIRD-PARTY-LICENCES.txt'), thirdPartyLicences(metafiles, root));
  writeDeclarations(root, join(fresh, 'types'));
  const old = join(root, `dist.${process.pid}.old`);
  rmSync(old, { recursive: true, force: true });
  if (existsSync(join(root, 'dist'))) renameSync(join(root, 'dist'), old);
  renameSync(fresh, join(root, 'dist'));
  rmSync(old, { recursive: true, force: true });
  if (process.env.npm_lifecycle_event === 'prepack') setPackedModes(root);
} finally {
  rmSync(fresh, { recursive: true, force: true });
}
