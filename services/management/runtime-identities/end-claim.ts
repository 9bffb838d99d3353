// The end of a promotion must reach the store, because no other process may settle the claim while its process lives
// (RUN-32). So it is retried until a locked or full store accepts it. If the process dies first, another process
// settles the claim.
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '#shared/base/logger.ts';
import { RuntimeStoreUnavailableError } from '#shared/state/store/runtime-store-unavailable.ts';

const pauseMilliseconds = 1_000;

/** Runs `end`. If the store is not available, throws the error again, and retries `end` in the background. */
export async function endClaim<Result>(end: () => Promise<Result>, log: Logger): Promise<Result> {
  try {
    return await end();
  } catch (error) {
    if (error instanceof RuntimeStoreUnavailableError) {
      log.warn({ err: error.cause }, 'the end of a promotion cannot be stored yet, so it is tried again');
      void endLater(end, log);
    }
    throw error;
  }
}

async function endLater(end: () => Promise<unknown>, log: Logger): Promise<void> {
  for (;;) {
    // The timer does not keep an ending process alive.
    await pause(pauseMilliseconds, undefined, { ref: false });
    try {
      await end();
      log.info('the end of a promotion is stored');
      return;
    } catch (error) {
      if (error instanceof RuntimeStoreUnavailableError) continue;
      log.error({ err: error }, 'a promotion could not be ended');
      return;
    }
  }
}
