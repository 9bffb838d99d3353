// Sandboxes end by themselves, also when nobody asks for them: whoever uses the store looks every few seconds (SBX-45).

import type { Logger } from '#shared/base/logger.ts';
import { pollEvery } from '#shared/base/scheduling/poll-every.ts';
import type { Sandboxes } from './open-sandboxes.ts';

const usualPauseMilliseconds = 10_000;

/** Answers how to stop; resolves when nothing is under way any more. */
export function keepSweepingSandboxes(
  sandboxes: Pick<Sandboxes, 'sweep'>,
  log: Logger,
  pauseMilliseconds = usualPauseMilliseconds,
): () => Promise<void> {
  const otherwise = 'sandboxes are swept at the next look';
  return pollEvery(() => sandboxes.sweep(), { log, pauseMilliseconds, otherwise });
}
