// Builds `dist/` before the first test where a source is newer, also when one file is run by itself. Tests of an old build
// pass or fail for reasons that are no longer in the sources. TEST_IDP_CLI names another build, which stays as it is.
const { spawnSync } = require('node:child_process');
const { join } = require('node:path');

exports.mochaGlobalSetup = () => {
  if (process.env.TEST_IDP_CLI !== undefined) return;
  const build = join(__dirname, '../../build/build.mjs');
  const { status } = spawnSync(process.execPath, [build, '--if-stale'], { stdio: 'inherit' });
  if (status !== 0) throw new Error('the build failed, so no test was run');
};
