// Prevents bundled libraries from changing the process into which they are loaded (API-33): a test process has its own
// signal handlers, file functions and zod. Fails the build if a library no longer has the expected form.
import { readFileSync } from 'node:fs';

/** What proper-lockfile loads, and its replacement. The lock passes its own file functions and handles its own end. */
const instead = {
  // Patches fs.close, process.cwd and process.chdir. proper-lockfile uses it only without file functions of the caller.
  'graceful-fs': "module.exports = require('node:fs');",
  // Installs a handler for every signal and replaces process.emit. See shared/base/locking/directory-lock.ts.
  'signal-exit': 'module.exports = () => () => {};',
};

/** zod stores its configuration and its registry in the global object, where every zod of a process would find ours. */
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
