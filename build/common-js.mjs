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

/** As esbuild writes it: by name from Node.js or from another output. */
const importByName = /\bimport\{([^{}]*)\}from"((?:node:|\.\/)[\w/.-]+)";/g;

/** What an output exports, as esbuild writes it. */
const exportedNames = /\bexport\{([^{}]*)\}/g;

/** Rewrites every `.cjs` file of the directory. `metafiles`: of the builds that put them there. */
export async function makeCommonJs(directory, metafiles) {
  const outputs = metafiles.flatMap(({ outputs }) => Object.entries(outputs));
  const texts = new Map(readdirSync(directory).map((name) => [name, readFileSync(join(directory, name), 'utf8')]));
  const changing = new Map([...texts].map(([name, text]) => [`./${name}`, changingExports(text)]));
  await Promise.all(
    [...texts].map(async ([name, text]) => {
      const [, { imports }] = outputs.find(([output]) => output.endsWith(`/${name}`));
      writeFileSync(join(directory, name), await commonJs(text, { name, imports, changing }));
    }),
  );
}

/**
 * The exports that may get another value after the output was loaded: those that are assigned more than once, and all of
 * an output with modules that run when another output calls them. A string that only looks like an assignment does no
 * harm.
 */
function changingExports(text) {
  const exports = [...text.matchAll(exportedNames)].flatMap(([, list]) => list.split(','));
  const isLater = text.includes('__esm({');
  const changing = exports
    .map((each) => each.split(' as '))
    .filter(([local]) => isLater || assignmentsOf(local, text) > 1)
    .map(([local, exported = local]) => exported);
  return new Set(changing);
}

function assignmentsOf(name, text) {
  const assignment = `(?<![\\w$.])${name.replaceAll('$', '\\$&')}(?:=(?![=>])|[-+*/|&?%^]{1,2}=|\\+\\+|--)`;
  return text.match(new RegExp(assignment, 'g'))?.length ?? 0;
}

async function commonJs(text, { name, imports, changing }) {
  const later = imports.filter(({ kind, path }) => kind === 'dynamic-import' && path.endsWith('.cjs'));
  const expected = new Set(later.map(({ path }) => path.split('/').at(-1)));
  const found = new Set();
  const required = text.replaceAll(laterImport, (_, specifier) => {
    found.add(specifier.slice(2));
    return `Promise.resolve().then(()=>require("${specifier}"))`;
  });
  if (found.size !== expected.size) throw new Error(`${name} loads ${[...expected]} later, and names ${[...found]}`);
  const script = withImportsAtLoad(required.replaceAll(otherImport, importModule), changing);
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
 * Imports by name are read once, when the bundle is loaded. esbuild would read them at each use. From Node.js it would then
 * get what a test in the same process has put there: faked timers, intercepted requests (API-34). From another output it
 * would call two getters, which cost a request several percent of its time. `changing`: the names that keep their getters.
 */
function withImportsAtLoad(script, changing) {
  const taken = [];
  const rest = script.replaceAll(importByName, (_, list, specifier) => {
    const isChanging = (name) => changing.get(specifier)?.has(name.split(' as ')[0]) === true;
    const names = list.split(',');
    const settled = names.filter((name) => !isChanging(name)).map((name) => name.replace(' as ', ':'));
    const live = names.filter(isChanging);
    if (settled.length > 0) taken.push(`const{${settled.join(',')}}=require("${specifier}");`);
    return live.length > 0 ? `import{${live.join(',')}}from"${specifier}";` : '';
  });
  return `${taken.join('')}${rest}`;
}
