// The end of a promotion must reach the store: while its process lives nobody else may settle the claim (RUN-32), so an
// end that a locked or full store refuses is tried again until it is had. A process that dies first leaves a claim that
// others settle.
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '#shared/base/logger.ts';
import { RuntimeStoreUnavailableError } from '#shared/state/store/runtime-store-unavailable.ts';

const pauseMilliseconds = 1_000;

/** Runs `end`; when the store is not available the error is thrown on, and the end follows by itself. */
export async function endClaim<Result>(end: () => Promise<Result>, log: Logger): Promise<Result> {
  try {
    return await end();
  } catch (error) {
    if (error instanceof RuntimeStoreUnavailableError) {
      log.warn({ err: error.cause }, 'the end of a promotion waits for the runtime store');
      void endLater(end, log);
    }
    throw error;
  }
}

async function endLater(end: () => Promise<unknown>, log: Logger): Promise<void> {
  for (;;) {
    // A process that is about to end does not wait for it.
    await pause(pauseMilliseconds, undefined, { ref: false });
    try {
      await end();
      log.info('the end of a promotion has reached the runtime store');
      return;
    } catch (error) {
      if (error instanceof RuntimeStoreUnavailableError) continue;
      log.error({ err: error }, 'a promotion could not be ended');
      return;
    }
  }
}
