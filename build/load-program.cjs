// Loads the programs that lie beside this file: `load(name)` runs `<name>.cjs`. What is loaded into the process of a test is
// required as any module is: its runner may have a context of its own for it (jest), or put it into a bundle.
//
// In a checkout the build leaves a folder for compiled code (`code-cache/<build>/`, ours to fill): a process that has run for
// two seconds writes there what V8 has compiled for it, and the next one of its role takes that in place of compiling the
// same again, which is a fifth of a start (docs/performance.md). An installed package has no such folder: nothing is
// written into it (PKG-16), and Node.js loads the bundles as any others.
const { existsSync, readFileSync } = require('node:fs');
const { open, rename, rm } = require('node:fs/promises');
const { createRequire } = require('node:module');
const { join } = require('node:path');

/** The build replaces it, so that a process of an older build finds no folder of its own any more. */
const build = '__BUILD__';
const folder = join(__dirname, 'code-cache', build);
const writtenAfterMilliseconds = 2_000;
const wrapper = '(function (exports, require, module, __filename, __dirname) {';
const requireFromHere = createRequire(__filename);

exports.load = existsSync(folder) ? withCompiledCode() : (name) => requireFromHere(`./${name}.cjs`);

/** For bundles: an import that is not one of theirs. */
exports.importModule = (address) => import(address);

/** One set of modules for the process, whichever entry asks, as with `require`. */
function withCompiledCode() {
  const { Script } = require('node:vm');
  const { cachedDataVersionTag } = require('node:v8');
  const modules = new Map();
  const scripts = new Map();
  let compiled;

  return (name) => {
    if (compiled === undefined) {
      // The tag stands for the version of V8, its options and the processor: what one wrote is no use to another.
      const path = join(folder, `${roleOf(name)}-${cachedDataVersionTag().toString(16)}`);
      compiled = readCompiled(path);
      setTimeout(() => void keep(path), writtenAfterMilliseconds).unref();
    }
    return requireBundle(`./${name}.cjs`);
  };

  function requireBundle(specifier) {
    if (!specifier.startsWith('./') || specifier === './load-program.cjs') return requireFromHere(specifier);
    const loaded = modules.get(specifier);
    if (loaded !== undefined) return loaded.exports;
    const module = { exports: {} };
    modules.set(specifier, module);
    const filename = join(__dirname, specifier);
    const script = new Script(`${wrapper}${readFileSync(filename, 'utf8')}\n})`, {
      filename,
      // A stack trace names the columns of the file.
      columnOffset: -wrapper.length,
      cachedData: compiled.get(specifier),
    });
    scripts.set(specifier, script);
    try {
      script.runInThisContext()(module.exports, requireBundle, module, filename, __dirname);
    } catch (error) {
      // Half of a module is not there for the next that asks.
      modules.delete(specifier);
      throw error;
    }
    return module.exports;
  }

  /** Only where there is nothing yet, or nothing that V8 takes: what is there serves the next start as well as ours would. */
  async function keep(path) {
    const isRefused = [...scripts.values()].some(({ cachedDataRejected }) => cachedDataRejected === true);
    const isNeeded = compiled.size === 0 || isRefused;
    const made = isNeeded ? [...scripts].map(([specifier, script]) => [specifier, script.createCachedData()]) : [];
    // What is loaded from now on is compiled as ever, and two megabytes go.
    compiled = new Map();
    scripts.clear();
    if (isNeeded) await writeCompiled(path, made);
  }
}

/** A command compiles what it needs and no other does. */
function roleOf(name) {
  const [, , command = ''] = process.argv;
  return name === 'cli' && /^[a-z]{1,20}$/.test(command) ? `cli-${command}` : name;
}

/** How long the parts are as JSON, behind its length in four bytes; then the parts. Nothing, where nothing can be read. */
function readCompiled(path) {
  const compiled = new Map();
  try {
    const file = readFileSync(path);
    let at = 4 + file.readUInt32LE(0);
    for (const [specifier, length] of JSON.parse(file.toString('latin1', 4, at))) {
      compiled.set(specifier, file.subarray(at, at + length));
      at += length;
    }
    return at === file.length ? compiled : new Map();
  } catch {
    return new Map();
  }
}

/** Nobody waits for it and nobody is told: without it the next start takes as long as this one did. */
async function writeCompiled(path, parts) {
  const fresh = `${path}.${process.pid}-${require('node:worker_threads').threadId}.new`;
  try {
    const lengths = Buffer.from(JSON.stringify(parts.map(([specifier, { length }]) => [specifier, length])), 'latin1');
    const size = Buffer.alloc(4);
    size.writeUInt32LE(lengths.length);
    const file = await open(fresh, 'wx');
    try {
      await file.writeFile(Buffer.concat([size, lengths, ...parts.map(([, data]) => data)]));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(fresh, path);
  } catch {
    await rm(fresh, { force: true }).catch(() => {});
  }
}
