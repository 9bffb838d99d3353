// on_before_load of a stack may rewrite the files, so it runs once, before any worker reads them (HOK-04). It runs in
// the process of the supervisor.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemStopwatch } from '#shared/base/clock.ts';
import type { WorkerStart } from './mailbox.ts';

/** @throws ConfigurationRejectedError, when hooks are strict */
export async function runHooksBeforeWorkers(start: Pick<WorkerStart, 'configDirectory' | 'logLevel'>): Promise<void> {
  const directory = start.configDirectory;
  if (directory === undefined || !mentionsHooks(directory)) return;
  const [{ readAfterHooks }, { openLogger }, { systemRandomness }] = await Promise.all([
    import('#shared/state/configuration/read-declared-configuration.ts'),
    import('./open-logger.ts'),
    import('#shared/base/random.ts'),
  ]);
  const log = await openLogger('test-idp supervisor', start.logLevel ?? 'INFO');
  const machine = { stopwatch: systemStopwatch, random: systemRandomness, log };
  const options = { ...machine, directory, environment: process.env, runBeforeLoadHook: true };
  await readAfterHooks(options, { present: undefined, failures: new Map() });
}

/**
 * This quick text check avoids loading the configuration's libraries when there are no hooks, which is the usual case.
 */
export function mentionsHooks(directory: string): boolean {
  try {
    return /\b(?:on_before_load|plugins)\b/.test(readFileSync(join(directory, 'settings.yaml'), 'utf8'));
  } catch {
    // Missing or unreadable: the workers report it.
    return false;
  }
}
