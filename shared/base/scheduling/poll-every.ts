// What has to be done again and again although nobody asks: a look, a pause, a look.

import type { Logger } from '../logger.ts';

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
