// What every adapter of a port works with: the database, the namespace its rows carry, and the removal of rows whose
// time is over, a few at a time, so that no request pays for a big sweep.
import type { Instant } from '#shared/clock.ts';
import type { Logger } from '#shared/logger.ts';
import type { Randomness } from '#shared/random.ts';
import type { OnStoreStep } from '../store-steps.ts';
import type { StoreDatabase } from './database.ts';

export interface NamespaceContext {
  readonly database: StoreDatabase;
  readonly ns: string;
  readonly random: Randomness;
  readonly log: Logger;
  /** Hears of the points at which a crash would interrupt a change. */
  readonly onStep: OnStoreStep | undefined;
}

const purgedAtOnce = 20;

/** Removes a few rows whose time is over; to be called inside the transaction that adds one. */
export function purger(
  { database, ns }: NamespaceContext,
  table: string,
  column: 'expires_at' | 'forgotten_at' = 'expires_at',
): (now: Instant) => void {
  const purge = database.command(
    `DELETE FROM ${table} WHERE rowid IN
       (SELECT rowid FROM ${table} WHERE namespace = @ns AND ${column} <= @now LIMIT ${purgedAtOnce})`,
  );
  return (now) => {
    purge.run({ ns, now });
  };
}
