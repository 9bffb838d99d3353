// Prints like `spec`, and writes each failure as a line of JSON into the file that TEST_IDP_FAILURES names, for
// `test/ask-again.ts`. CommonJS, because mocha loads reporters with require.
const { appendFileSync } = require('node:fs');
const { reporters, Runner } = require('mocha');

module.exports = class FailuresReporter extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const list = process.env.TEST_IDP_FAILURES;
    if (list === undefined) return;
    runner.on(Runner.constants.EVENT_TEST_FAIL, (failed, error) => {
      const { file = failed.parent?.file } = failed;
      appendFileSync(
        list,
        `${JSON.stringify({ file, title: failed.fullTitle(), message: error?.stack ?? String(error) })}\n`,
      );
    });
  }
};
