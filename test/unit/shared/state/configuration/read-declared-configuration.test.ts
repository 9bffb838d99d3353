// A configuration that the process has loaded already is not loaded again, and its warnings are logged nevertheless.
import { expect } from 'chai';
import { systemStopwatch } from '#shared/base/clock.ts';
import { createLogger } from '#shared/base/logger.ts';
import { problemsOfFault } from '#shared/engine/faults/read-fault-order.ts';
import { logSecrets } from '#shared/model/secrets/what-is-secret.ts';
import { loadDirectory } from '#shared/state/configuration/load/load-directory.ts';
import { readDeclaredConfiguration } from '#shared/state/configuration/read-declared-configuration.ts';
import { verifies } from '#test/support/verifies.ts';
import { lineSink } from './line-sink.ts';

describe('a configuration that was loaded before', () => {
  const given = { settings: 'mood: good\n', users: 'users: {}\n' };
  const load = { directory: undefined, given, environment: {}, problemsOfFault };
  const { configuration, texts, findings } = loadDirectory(load);
  if (configuration === undefined || texts === undefined) throw new Error('does not load');

  verifies('CFG-31', 'is handed on as it is, with its warnings in the log', async () => {
    const lines: string[] = [];
    const log = createLogger({ name: 'test-idp', level: 'WARNING', pretty: lineSink(lines), secrets: logSecrets });
    const loaded = { configuration, texts, findings };
    const declared = await readDeclaredConfiguration({ ...load, loaded, log, stopwatch: systemStopwatch });
    expect(declared.configuration).to.equal(configuration);
    expect(lines.join('')).to.contain('Unknown key \\"mood\\"');
  });
});
