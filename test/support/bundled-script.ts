// A script of the tests as one plain file of JavaScript, for tests that start it many times: such a process is up in a
// fraction of the time that compiling while importing takes.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

export interface BundledScript {
  readonly path: string;
  remove(): void;
}

/** `script` as a path below test/fixtures. */
export async function bundleScript(script: string): Promise<BundledScript> {
  const directory = mkdtempSync(join(tmpdir(), 'test-idp-script-'));
  const path = join(directory, 'script.mjs');
  await build({
    absWorkingDir: fileURLToPath(new URL('../..', import.meta.url)),
    entryPoints: [fileURLToPath(new URL(`../fixtures/${script}`, import.meta.url))],
    outfile: path,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    // CommonJS packages inside an ES module bundle ask for `require`.
    banner: {
      js: "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);",
    },
    logLevel: 'warning',
  });
  return { path, remove: () => rmSync(directory, { recursive: true, force: true }) };
}
