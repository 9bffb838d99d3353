// Logout tokens that are due again, and those of a process that died, are sent by whichever process looks first (LGO-16).
import type { Clock } from '#shared/clock.ts';
import type { Logger } from '#shared/logger.ts';
import type { RuntimeStore } from '#shared/store/ports/index.ts';
import { tellDue } from './tell-participants.ts';
import type { TellingContext } from './telling-context.ts';

/** A retry is at most so much later than it should be. */
const pauseMilliseconds = 500;

export interface KeepTellingDependencies {
  readonly store: RuntimeStore;
  readonly realClock: Clock;
  readonly log: Logger;
  /** What telling in that namespace takes; undefined: it is gone. */
  contextOf(namespace: string): Promise<TellingContext | undefined>;
}

/** Answers how to stop; resolves when nothing is under way any more. */
export function keepTelling({ store, realClock, log, contextOf }: KeepTellingDependencies): () => Promise<void> {
  let underWay: Promise<void> | undefined;
  const look = async () => {
    for (const namespace of await store.logoutDeliveries.namespacesWithDue(realClock.now())) {
      const context = await contextOf(namespace);
      if (context !== undefined) await tellDue(context, realClock);
    }
  };
  const timer = setInterval(() => {
    underWay ??= look()
      .catch((error: unknown) => log.debug({ err: error }, 'logout tokens are sent at the next look'))
      .finally(() => {
        underWay = undefined;
      });
  }, pauseMilliseconds);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await underWay;
  };
}
