// Work that is due in some namespaces, whichever process looks first.

import type { Clock } from '#shared/base/clock.ts';
import type { Logger } from '#shared/base/logger.ts';
import { pollEvery } from '#shared/base/scheduling/poll-every.ts';
import type { RuntimeStore } from './ports/index.ts';

/** What is due in some namespaces, whoever began it: whichever process looks first does it. */
export interface DueDependencies<Context> {
  readonly store: RuntimeStore;
  readonly realClock: Clock;
  readonly log: Logger;
  /** Between two looks, where asking is dearer than in a file. */
  readonly pauseMilliseconds?: number | undefined;
  /** What doing it in that namespace takes; undefined: it is gone. */
  contextOf(namespace: string): Promise<Context | undefined>;
}

/** What is due is done at most so much later, unless the dependencies say otherwise. */
const usualPauseMilliseconds = 500;

/** Answers how to stop, as `pollEvery` does. */
export function keepDoingWhatIsDue<Context>(
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
