// Keeps what is bundled from changing the process it is loaded into (API-33): a test process has signal handlers, file
// functions and a zod of its own. Fails the build where a library no longer looks as it is known here.
import { readFileSync } from 'node:fs';

/** What proper-lockfile loads, and what it gets instead. The lock brings its own file functions and its own end. */
const instead = {
  // Patches fs.close, process.cwd and process.chdir; proper-lockfile uses it where nobody hands it file functions.
  'graceful-fs': "module.exports = require('node:fs');",
  // Installs a handler for every signal and replaces process.emit; see shared/base/locking/directory-lock.ts.
  'signal-exit': 'module.exports = () => () => {};',
};

/** zod keeps its configuration and its registry at the global object, where every zod of a process would find ours. */
const zodFiles = /[\\/]zod[\\/]v4[\\/]core[\\/](?:core|registries)\.js$/;

export const nothingGlobal = {
  name: 'nothing-global',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(?:graceful-fs|signal-exit)$/ }, ({ path }) => ({ path, namespace: 'instead' }));
    onLoad({ filter: /.*/, namespace: 'instead' }, ({ path }) => ({ contents: instead[path], loader: 'js' }));
    onLoad({ filter: zodFiles }, ({ path }) => {
      const contents = readFileSync(path, 'utf8');
      const own = contents.replaceAll(/\bglobalThis\b/g, 'ownGlobal');
      if (own === contents)
        throw new Error(`${path} names no globalThis any more: look where zod keeps its globals now`);
      return { contents: `const ownGlobal = {};\n${own}`, loader: 'js' };
    });
  },
};
