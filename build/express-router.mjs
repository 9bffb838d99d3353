// What the product uses of Express is its router, which is a package of its own. The rest of Express (body parsers, views, static
// files) stays out of the bundles, which are loaded at every start, and so does what would reach beyond them (API-33).
import { createRequire } from 'node:module';

/** The package of Express that has its router, as the version of Express has it that is installed. */
const router = createRequire(createRequire(import.meta.url).resolve('express')).resolve('router');

const instead = {
  express: `module.exports = { Router: require(${JSON.stringify(router)}) };`,
  // It writes to the standard error of whoever has DEBUG set for something else.
  debug: 'module.exports = () => () => {};',
  // It warns of uses of the router that product code does not have, and reads stack traces through a hook that all share.
  depd: 'module.exports = () => () => {};',
};

const isRoutersOwn = (importer) => /[\\/]node_modules[\\/]router[\\/]/.test(importer);

export const expressRouter = {
  name: 'express-router',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^express$/ }, ({ path }) => ({ path, namespace: 'of-express' }));
    onResolve({ filter: /^(?:debug|depd)$/ }, ({ path, importer }) =>
      isRoutersOwn(importer) ? { path, namespace: 'of-express' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'of-express' }, ({ path }) => ({
      contents: instead[path],
      loader: 'js',
      resolveDir: import.meta.dirname,
    }));
  },
};
