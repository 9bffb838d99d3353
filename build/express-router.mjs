// The product uses only the router of Express, which is a separate package. The bundles leave out the rest of Express (body
// parsers, views, static files), because each start loads them. They also leave out code with process-wide effects
// (API-33).
import { createRequire } from 'node:module';

/** The router package of the installed version of Express. */
const router = createRequire(createRequire(import.meta.url).resolve('express')).resolve('router');

const instead = {
  express: `module.exports = { Router: require(${JSON.stringify(router)}) };`,
  // It writes to standard error when DEBUG is set for another program.
  debug: 'module.exports = () => () => {};',
  // It warns about uses that the product does not have, and reads stack traces through a process-wide hook.
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
