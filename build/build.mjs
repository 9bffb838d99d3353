// Bundles the program into dist/: one entry a process, shared code in chunks, what a command does not need loaded late.
// `--if-stale` does nothing while dist/ is newer than every source.
import { existsSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeDeclarations } from './declarations.mjs';
import { nothingGlobal } from './nothing-global.mjs';
import { thirdPartyLicences } from './third-party-licences.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const rooms = ['api', 'cli', 'supervisor', 'services', 'shared', 'build'];
const entries = {
  cli: 'cli/main.ts',
  'worker-oidc': 'services/oidc/main.ts',
  'worker-saml': 'services/saml/main.ts',
  'worker-mcp': 'services/mcp/main.ts',
  'worker-demo': 'services/demo/main.ts',
  index: 'api/index.ts',
  vitest: 'api/runners/vitest.ts',
  playwright: 'api/runners/playwright.ts',
  'stack-process': 'api/stack/stack-process.ts',
  'configuration-thread': 'shared/configuration/own-thread/thread.ts',
};

function newest(path) {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(0, ...readdirSync(path).map((name) => newest(join(path, name))));
}

function isFresh() {
  try {
    const built = Math.min(...Object.keys(entries).map((name) => statSync(join(root, 'dist', `${name}.js`)).mtimeMs));
    const sources = [...rooms, 'docs/openapi.json', 'package.json', 'package-lock.json'].map((name) =>
      newest(join(root, name)),
    );
    return built > Math.max(...sources);
  } catch {
    return false;
  }
}

if (process.argv.includes('--if-stale') && isFresh()) process.exit(0);

const { build } = await import('esbuild');
const { pageFiles } = await import('./page-files.mjs');
// Built beside the old one and exchanged at the end, so that a running program never finds half of it.
const fresh = join(root, `dist.${process.pid}.new`);
const common = {
  absWorkingDir: root,
  outdir: fresh,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  external: ['better-sqlite3', 'vitest', '@playwright/test'],
  alias: { 'pg-native': './build/no-native-driver.cjs' },
  inject: ['build/globals-at-load.js'],
  define: { 'process.nextTick': 'nextTickAtLoad' },
  // CommonJS packages inside an ES module bundle ask for `require`.
  banner: {
    js: "import { createRequire as createRequireForBundle } from 'node:module'; const require = createRequireForBundle(import.meta.url);",
  },
  sourcemap: false,
  // Names stay, so that a stack trace in the log still says where it happened.
  minifySyntax: true,
  minifyWhitespace: true,
  logLevel: 'warning',
  metafile: true,
};
// The MCP worker is built apart: its SDK needs all of zod, which the frontends would have to load otherwise.
const { 'worker-mcp': mcp, ...frontends } = entries;
const mcpApart = {
  name: 'mcp-apart',
  setup: ({ onResolve }) => {
    onResolve({ filter: /^#services\/mcp\/main\.ts$/ }, () => ({ path: './worker-mcp.js', external: true }));
  },
};
try {
  const results = await Promise.all([
    build({ ...common, entryPoints: frontends, plugins: [mcpApart, pageFiles, nothingGlobal] }),
    build({
      ...common,
      entryPoints: { 'worker-mcp': mcp },
      chunkNames: 'mcp-[name]-[hash]',
      plugins: [pageFiles, nothingGlobal],
    }),
  ]);
  const metafiles = results.map(({ metafile }) => metafile);
  writeFileSync(join(fresh, 'THIRD-PARTY-LICENCES.txt'), thirdPartyLicences(metafiles, root));
  writeDeclarations(root, join(fresh, 'types'));
  const old = join(root, `dist.${process.pid}.old`);
  rmSync(old, { recursive: true, force: true });
  if (existsSync(join(root, 'dist'))) renameSync(join(root, 'dist'), old);
  renameSync(fresh, join(root, 'dist'));
  rmSync(old, { recursive: true, force: true });
} finally {
  rmSync(fresh, { recursive: true, force: true });
}
