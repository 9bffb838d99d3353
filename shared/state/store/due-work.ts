// Work that is due in some namespaces. The first process that checks does it.

import type { Clock } from '#shared/base/clock.ts';
import type { Logger } from '#shared/base/logger.ts';
import { pollEvery } from '#shared/base/scheduling/poll-every.ts';
import type { RuntimeStore } from './ports/index.ts';

/** The work that is due in some namespaces, whichever process began it. */
export interface DueDependencies<Context> {
  readonly store: RuntimeStore;
  readonly realClock: Clock;
  readonly log: Logger;
  /** The pause between two checks, where a check costs more than in a file. */
  readonly pauseMilliseconds?: number | undefined;
  /** Returns what the work in that namespace needs. undefined: the namespace was deleted. */
  contextOf(namespace: string): Promise<Context | undefined>;
}

/** The longest delay of due work, unless the dependencies set another. */
const usualPauseMilliseconds = 500;

/** Returns a function that stops the checks, as `pollEvery` does. */
export function runDueWork<Context>(
  { contextOf, log, pauseMilliseconds = usualPauseMilliseconds }: DueDependencies<Context>,
  namespacesWithDue: () => Promise<readonly string[]>,
  doIt: (context: Context) => Promise<void>,
  otherwise: string,
): () => Promise<void> {
  const look = async () => {
    for (const namespace of await namespacesWithDue()) {
      const context = await contextOf(namespace);
      if (context !== undefined) await doIt(context);
    }
  };
  return pollEvery(look, { log, pauseMilliseconds, otherwise });
}
