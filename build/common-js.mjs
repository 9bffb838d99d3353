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

const addressOfBundle = 'const addressOfBundle=require("node:url").pathToFileURL(__filename).href;';

/** As a whole, as esbuild writes it: by name from what Node.js brings. */
const importOfNode = /\bimport\{([^{}]*)\}from"(node:[\w/]+)";/g;

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
  const script = withNodeAsItWasAtLoad(required.replaceAll(otherImport, importModule));
  const asksForItself = script.includes('import.meta.url');
  const { code } = await transform(script, {
    format: 'cjs',
    platform: 'node',
    target: 'node20.19',
    minifySyntax: true,
    minifyWhitespace: true,
    // Node.js shows the line that threw what nobody caught, however long it is.
    lineLimit: 160,
    logLevel: 'warning',
    // As modules are. Of a script without imports esbuild does not know that it was one.
    banner: `"use strict";${asksForItself ? addressOfBundle : ''}`,
    ...(asksForItself && { define: { 'import.meta.url': 'addressOfBundle' } }),
  });
  return code;
}

/**
 * As an import by name has it, what stands in a module of Node.js when the bundle is loaded. esbuild would ask for it at each use,
 * and find what a test in the same process has put there: faked timers, intercepted requests (API-34).
 */
function withNodeAsItWasAtLoad(script) {
  const taken = [];
  const rest = script.replaceAll(importOfNode, (_, names, specifier) => {
    taken.push(`const{${names.replaceAll(' as ', ':')}}=require("${specifier}");`);
    return '';
  });
  return `${taken.join('')}${rest}`;
}
