// Sandboxes end by themselves, also when nobody asks for them: whoever uses the store looks every few seconds (SBX-45).
import type { Logger } from '#shared/logger.ts';
import type { Sandboxes } from './open-sandboxes.ts';

const pauseMilliseconds = 10_000;

/** Answers how to stop; resolves when nothing is under way any more. */
export function keepSwept(sandboxes: Pick<Sandboxes, 'sweep'>, log: Logger): () => Promise<void> {
  let underWay: Promise<void> | undefined;
  const sweep = () => {
    underWay ??= sandboxes
      .sweep()
      .catch((error: unknown) => log.debug({ err: error }, 'sandboxes are swept at the next look'))
      .finally(() => {
        underWay = undefined;
      });
  };
  const timer = setInterval(sweep, pauseMilliseconds);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await underWay;
  };
}
