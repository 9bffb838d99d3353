// Repeats a check with a pause after each one.

import type { Logger } from '../logger.ts';

interface Looking {
  readonly log: Logger;
  readonly pauseMilliseconds: number;
  /** For the log after a failed check: what the next check will do. */
  readonly otherwise: string;
}

/**
 * Runs one check at a time. Keeps no process alive. Returns a function that stops it and resolves when no check is
 * running.
 */
export function pollEvery(
  check: () => Promise<void>,
  { log, pauseMilliseconds, otherwise }: Looking,
): () => Promise<void> {
  let running: Promise<void> | undefined;
  const timer = setInterval(() => {
    running ??= check()
      .catch((error: unknown) => log.debug({ err: error }, otherwise))
      .finally(() => {
        running = undefined;
      });
  }, pauseMilliseconds);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await running;
  };
}

/**
 * Stops all of them at once, so that none starts another check while a running one is awaited. With an unreachable
 * store, each would wait as long as the previous one.
 */
export async function stopTogether(stops: readonly (() => Promise<void>)[]): Promise<void> {
  await Promise.all(stops.map((stop) => stop()));
}
