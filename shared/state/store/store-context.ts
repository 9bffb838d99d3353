// What the operations of both engines work with in addition to their database, and how many expired rows they delete.
import type { Clock } from '#shared/base/clock.ts';
import type { Logger } from '#shared/base/logger.ts';
import type { Randomness } from '#shared/base/random.ts';
import type { ProvedTime } from './proved-time.ts';
import type { OnStoreStep } from './store-steps.ts';

/** What all namespaces of an opened store share. */
export interface CommonContext {
  /** Real time, which testers cannot move. */
  readonly realClock: Clock;
  /** The time up to which token state may be deleted. */
  readonly proved: ProvedTime;
  readonly random: Randomness;
  readonly log: Logger;
  /** Receives the points at which a crash would interrupt a change. */
  readonly onStep: OnStoreStep | undefined;
}

/** Each added row deletes a few expired ones, so that no request pays for a long sweep. */
export const purgedAtOnce = 20;
