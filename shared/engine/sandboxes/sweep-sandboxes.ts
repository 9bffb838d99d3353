// Sandboxes expire automatically, also without requests: every process on the store looks every few seconds (SBX-45).

import type { Logger } from '#shared/base/logger.ts';
import { pollEvery } from '#shared/base/scheduling/poll-every.ts';
import type { Sandboxes } from './open-sandboxes.ts';

const usualPauseMilliseconds = 10_000;

/** Returns a function that stops it and resolves when no sweep is running. */
export function keepSweepingSandboxes(
  sandboxes: Pick<Sandboxes, 'sweep'>,
  log: Logger,
  pauseMilliseconds = usualPauseMilliseconds,
): () => Promise<void> {
  const otherwise = 'expired sandboxes are deleted at the next check';
  return pollEvery(() => sandboxes.sweep(), { log, pauseMilliseconds, otherwise });
}
