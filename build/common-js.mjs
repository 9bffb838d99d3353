// Turns the output of esbuild into CommonJS. esbuild can only split ES modules, and V8 caches compiled code only for
// scripts (build/load-program.cjs).
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { transform } from 'esbuild';

/** An import of one output by another, as esbuild writes it. */
const laterImport = /\bimport\("(\.\/[\w.-]+\.cjs)"\)/g;

/**
 * An import of anything else: modules of Node.js and plugins of users. A script with compiled code cannot use import()
 * itself.
 */
const otherImport = /\bimport\(/g;
const importModule = 'require("./load-program.cjs").importModule(';

const addressOfBundle = 'const addressOfBundle=require("node:url").pathToFileURL(__filename).href;';

/** An import of a whole module, as esbuild writes it for named imports from Node.js. */
const importOfNode = /\bimport\{([^{}]*)\}from"(node:[\w/]+)";/g;

/** Rewrites every `.cjs` file of the directory. `metafiles` are those of the builds that wrote them. */
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
    // For an uncaught error, Node.js prints the whole line that threw it, however long it is.
    lineLimit: 160,
    logLevel: 'warning',
    // Strict mode, as in modules. esbuild does not know that a script without imports was a module.
    banner: `"use strict";${asksForItself ? addressOfBundle : ''}`,
    ...(asksForItself && { define: { 'import.meta.url': 'addressOfBundle' } }),
  });
  return code;
}

/**
 * Reads the members of a Node.js module when the bundle is loaded, as a named import does. esbuild would read them at
 * each use, and get what a test in the same process has put there: fake timers, intercepted requests (API-34).
 */
function withNodeAsItWasAtLoad(script) {
  const taken = [];
  const rest = script.replaceAll(importOfNode, (_, names, specifier) => {
    taken.push(`const{${names.replaceAll(' as ', ':')}}=require("${specifier}");`);
    return '';
  });
  return `${taken.join('')}${rest}`;
}
