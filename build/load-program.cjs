// Loads the programs next to this file: `load(name)` runs `<name>.cjs`. Programs for the process of a test are required
// like any other module, because a test runner may use its own context for them (jest), or bundle them.
//
// In a checkout, the build creates a folder for compiled code (`code-cache/<build>/`). A process that has run for two
// seconds writes the code there that V8 has compiled. The next process of this role loads it instead of compiling again,
// which saves a fifth of a start (docs/performance.md). An installed package has no such folder: nothing is written into
// it (PKG-16), and Node.js loads the bundles as usual.
const { existsSync, readFileSync } = require('node:fs');
const { open, rename, rm } = require('node:fs/promises');
const { createRequire } = require('node:module');
const { join } = require('node:path');

/** Replaced by the build, so that a process of an older build no longer finds its folder. */
const build = '__BUILD__';
const folder = join(__dirname, 'code-cache', build);
const writtenAfterMilliseconds = 2_000;
const wrapper = '(function (exports, require, module, __filename, __dirname) {';
const requireFromHere = createRequire(__filename);

exports.load = existsSync(folder) ? withCompiledCode() : (name) => requireFromHere(`./${name}.cjs`);

/** For bundles: an import of an external module. */
exports.importModule = (address) => import(address);

/** One set of modules for the process, for every loaded entry, as with `require`. */
function withCompiledCode() {
  const { Script } = require('node:vm');
  const { cachedDataVersionTag } = require('node:v8');
  const modules = new Map();
  const scripts = new Map();
  let compiled;

  return (name) => {
    if (compiled === undefined) {
      // The tag identifies the version of V8, its options and the processor. Compiled code is valid for these only.
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
      // A stack trace contains the columns of the file.
      columnOffset: -wrapper.length,
      cachedData: compiled.get(specifier),
    });
    scripts.set(specifier, script);
    try {
      script.runInThisContext()(module.exports, requireBundle, module, filename, __dirname);
    } catch (error) {
      // A module that failed must not be found incomplete by the next caller.
      modules.delete(specifier);
      throw error;
    }
    return module.exports;
  }

  /** Only if there is no cache, or V8 rejects it. An existing cache serves the next start as well as a new one. */
  async function keep(path) {
    const isRefused = [...scripts.values()].some(({ cachedDataRejected }) => cachedDataRejected === true);
    const isNeeded = compiled.size === 0 || isRefused;
    const made = isNeeded ? [...scripts].map(([specifier, script]) => [specifier, script.createCachedData()]) : [];
    // Code that is loaded from now on is compiled as usual, and two megabytes are freed.
    compiled = new Map();
    scripts.clear();
    if (isNeeded) await writeCompiled(path, made);
  }
}

/** A command compiles only what it needs. */
function roleOf(name) {
  const [, , command = ''] = process.argv;
  return name === 'cli' && /^[a-z]{1,20}$/.test(command) ? `cli-${command}` : name;
}

/**
 * The lengths of the parts as JSON, preceded by its length in four bytes, then the parts. Empty if nothing can be read.
 */
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

/** Errors are ignored: without the cache, the next start takes as long as this one did. */
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
