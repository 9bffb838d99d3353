// What has to be done again and again although nobody asks: a look, a pause, a look.
import type { Clock } from './clock.ts';
import type { Logger } from './logger.ts';
import type { RuntimeStore } from './store/ports/index.ts';

interface Looking {
  readonly log: Logger;
  readonly pauseMilliseconds: number;
  /** For the log, when one failed: what the next look will do. */
  readonly otherwise: string;
}

/** One look at a time. Keeps no process alive. Answers how to stop; that resolves when nothing is under way any more. */
export function pollEvery(
  look: () => Promise<void>,
  { log, pauseMilliseconds, otherwise }: Looking,
): () => Promise<void> {
  let underWay: Promise<void> | undefined;
  const timer = setInterval(() => {
    underWay ??= look()
      .catch((error: unknown) => log.debug({ err: error }, otherwise))
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

/**
 * None of them begins another look while one that is under way is waited for: of a store that is away each would wait for as long as
 * the one before.
 */
export async function stopTogether(stops: readonly (() => Promise<void>)[]): Promise<void> {
  await Promise.all(stops.map((stop) => stop()));
}

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
