// Required by .mocharc.drills.json: the races that `npm test` runs for a few rounds run for all of theirs.
process.env.TEST_IDP_THOROUGH = '1';
