// What the operations of either engine work with besides their database, and how much they remove on the way.
import type { Clock } from '#shared/base/clock.ts';
import type { Logger } from '#shared/base/logger.ts';
import type { Randomness } from '#shared/base/random.ts';
import type { ProvedTime } from './proved-time.ts';
import type { OnStoreStep } from './store-steps.ts';

/** What all namespaces of an opened store share. */
export interface CommonContext {
  /** Real time, which no tester moves. */
  readonly realClock: Clock;
  /** Up to when a memory of tokens may be deleted. */
  readonly proved: ProvedTime;
  readonly random: Randomness;
  readonly log: Logger;
  /** Hears of the points at which a crash would interrupt a change. */
  readonly onStep: OnStoreStep | undefined;
}

/** A few rows whose time is over go with each one that comes, so that no request pays for a big sweep. */
export const purgedAtOnce = 20;
