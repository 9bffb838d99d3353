// The types in the package: those of api/declarations with the few files that they import, and nothing else.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, sep } from 'node:path';

/**
 * Writes them below `directory` as CommonJS types. A compiler does not let a script import types of an ES module, but
 * the reverse works. So each type exists once, and only the entries exist for both (PKG-08).
 */
export function writeDeclarations(root, directory) {
  const manifest = createRequire(import.meta.url).resolve('typescript/package.json');
  const compiler = join(dirname(manifest), JSON.parse(readFileSync(manifest, 'utf8')).bin.tsc);
  execFileSync(process.execPath, [compiler, '-p', join(root, 'api'), '--outDir', directory], { stdio: 'inherit' });
  for (const name of readdirSync(directory, { recursive: true })) {
    if (!name.endsWith('.d.ts')) continue;
    const path = join(directory, name);
    // The sources name a module by its file, which does not exist in the package.
    const text = readFileSync(path, 'utf8').replaceAll(/(from '\.[^']*)\.ts'/g, "$1.cjs'");
    writeFileSync(path.replace(/\.ts$/, '.cts'), text);
    if (name.startsWith(`declarations${sep}`)) writeFileSync(path, text);
    else rmSync(path);
  }
}
