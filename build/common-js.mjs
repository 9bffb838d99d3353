// Makes CommonJS of what esbuild has bundled: it splits ES modules alone, and V8 keeps compiled code of scripts alone
// (build/load-program.cjs).
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { transform } from 'esbuild';

/** Of one output to another, as esbuild writes it. */
const laterImport = /\bimport\("(\.\/[\w.-]+\.cjs)"\)/g;

/** Of anything else: what Node.js brings, and plugins of users. A script with compiled code may not import by itself. */
const otherImport = /\bimport\(/g;
const importModule = 'require("./load-program.cjs").importModule(';

/** Rewrites every `.cjs` file of the directory. `metafiles`: of the builds that put them there. */
export async function makeCommonJs(directory, metafiles) {
  const outputs = metafiles.flatMap(({ outputs }) => Object.entries(outputs));
  await Promise.all(
    readdirSync(directory).map(async (name) => {
      const path = join(directory, name);
      const [, { imports }] = outputs.find(([output]) => output.endsWith(`/${name}`));
      writeFileSync(path, await commonJs(readFileSync(path, 'utf8'), name, imports));
    }),
  );
}

async function commonJs(text, name, imports) {
  const later = imports.filter(({ kind, path }) => kind === 'dynamic-import' && path.endsWith('.cjs'));
  const expected = new Set(later.map(({ path }) => path.split('/').at(-1)));
  const found = new Set();
  const required = text.replaceAll(laterImport, (_, specifier) => {
    found.add(specifier.slice(2));
    return `Promise.resolve().then(()=>require("${specifier}"))`;
  });
  if (found.size !== expected.size) throw new Error(`${name} loads ${[...expected]} later, and names ${[...found]}`);
  const script = required.replaceAll(otherImport, importModule);
  const asksForItself = script.includes('import.meta.url');
  const { code } = await transform(script, {
    format: 'cjs',
    platform: 'node',
    target: 'node20.19',
    minifySyntax: true,
    minifyWhitespace: true,
    logLevel: 'warning',
    ...(asksForItself && {
      define: { 'import.meta.url': 'addressOfBundle' },
      banner: 'const addressOfBundle=require("node:url").pathToFileURL(__filename).href;',
    }),
  });
  return code;
}
