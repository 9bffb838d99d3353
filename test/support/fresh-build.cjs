// Builds `dist/` before the first test if a source is newer, even if a single file runs. Tests of an old build pass or fail
// for reasons that the sources no longer contain. TEST_IDP_CLI names another build, which stays unchanged.
const { spawnSync } = require('node:child_process');
const { join } = require('node:path');

exports.mochaGlobalSetup = () => {
  if (process.env.TEST_IDP_CLI !== undefined) return;
  const build = join(__dirname, '../../build/build.mjs');
  const { status } = spawnSync(process.execPath, [build, '--if-stale'], { stdio: 'inherit' });
  if (status !== 0) throw new Error('the build failed, so no test was run');
};
