// Bundles a script of the tests into one plain JavaScript file, which starts much faster than a script that is compiled on
// import. Each bundle is built once for all tests of this process, and deleted with it.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** Inside the checkout, so that packages with native code are found from there. */
const directory = join(root, '.cache', `scripts-${process.pid}`);
const made = new Map<string, Promise<string>>();

/** Returns the path of the bundle of `script`, which is a path below test/fixtures. */
export function bundleScript(script: string): Promise<string> {
  const bundled = made.get(script) ?? bundle(script);
  made.set(script, bundled);
  return bundled;
}

async function bundle(script: string): Promise<string> {
  if (made.size === 0) process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  const path = join(directory, script.replace(/\.ts$/, '.mjs'));
  await build({
    absWorkingDir: root,
    entryPoints: [join(root, 'test', 'fixtures', script)],
    outfile: path,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    external: ['better-sqlite3'],
    // CommonJS packages inside an ES module bundle need `require`.
    banner: {
      js: "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);",
    },
    logLevel: 'warning',
  });
  return path;
}
