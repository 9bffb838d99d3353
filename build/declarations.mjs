// The types that stand in the package: those of api/declarations with the few files they name, and nothing else.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Writes them below `directory`. */
export function writeDeclarations(root, directory) {
  const manifest = createRequire(import.meta.url).resolve('typescript/package.json');
  const compiler = join(dirname(manifest), JSON.parse(readFileSync(manifest, 'utf8')).bin.tsc);
  execFileSync(process.execPath, [compiler, '-p', join(root, 'api'), '--outDir', directory], { stdio: 'inherit' });
  for (const name of readdirSync(directory, { recursive: true })) {
    if (!name.endsWith('.d.ts')) continue;
    const path = join(directory, name);
    // In the sources a module is named by its file; there is none of that name in the package.
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll(/(from '\.[^']*)\.ts'/g, "$1.js'"));
  }
}
