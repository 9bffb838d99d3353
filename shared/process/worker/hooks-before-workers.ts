// on_before_load of a stack: it may rewrite the files, so it runs before any worker reads them, and once (HOK-04). Whoever
// starts a supervisor runs it in the process of that supervisor.
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

/** A look at the text keeps the configuration's libraries out of this process for the many that have no hooks. */
export function mentionsHooks(directory: string): boolean {
  try {
    return /\b(?:on_before_load|plugins)\b/.test(readFileSync(join(directory, 'settings.yaml'), 'utf8'));
  } catch {
    // Missing or unreadable: the workers say so.
    return false;
  }
}
