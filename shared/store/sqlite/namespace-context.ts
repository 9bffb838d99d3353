// What every adapter of a port works with: the database, the namespace its rows carry, and the removal of rows whose
// time is over, a few at a time, so that no request pays for a big sweep.
import type { Clock } from '#shared/clock.ts';
import type { Logger } from '#shared/logger.ts';
import type { Randomness } from '#shared/random.ts';
import { presentRow } from '../json-columns.ts';
import { defaultNamespace, NamespaceEndedError, type NamespaceKey } from '../namespace-id.ts';
import type { OnStoreStep } from '../store-steps.ts';
import type { Command, Statements, StoreDatabase } from './database.ts';

/** The database as one namespace sees it: statements are shared with all others, transactions know whether it lives. */
export type NamespaceDatabase = Pick<StoreDatabase, 'prepared' | 'read' | 'write' | 'free'>;

/** What all namespaces of an opened store share. */
export interface StoreContext {
  readonly database: StoreDatabase;
  /** Real time, which no tester moves. */
  readonly realClock: Clock;
  readonly random: Randomness;
  readonly log: Logger;
  /** Hears of the points at which a crash would interrupt a change. */
  readonly onStep: OnStoreStep | undefined;
}

export interface NamespaceContext extends Omit<StoreContext, 'database'> {
  readonly database: NamespaceDatabase;
  readonly ns: NamespaceKey;
}

const lifeStatements = (sql: Statements) => ({
  life: sql.query('SELECT 1 AS present FROM namespaces WHERE namespace = @ns', presentRow),
});

/**
 * Refuses, with NamespaceEndedError, whatever comes when the namespace is gone, so that a request that was under way as it
 * ended leaves nothing behind (SBX-10, SBX-14). The default namespace never ends, and pays nothing.
 */
export function databaseOf(database: StoreDatabase, ns: NamespaceKey): NamespaceDatabase {
  if (ns === defaultNamespace) return database;
  const { life } = database.prepared(lifeStatements);
  const requireLife = () => {
    if (life.get({ ns }) === undefined) throw new NamespaceEndedError(ns);
  };
  const living =
    <Result>(work: () => Result) =>
    () => {
      requireLife();
      return work();
    };
  return {
    prepared: (make) => database.prepared(make),
    // Asked after the reading: whatever was read was read while it lived.
    read: (work) =>
      database.read(() => {
        const result = work();
        requireLife();
        return result;
      }),
    write: (work) => database.write(living(work)),
    free: (work) => database.free(living(work)),
  };
}

export const purgedAtOnce = 20;

/** Removes a few rows of `@ns` whose time is over at `@now`; to be run inside the transaction that adds one. */
export function purge(sql: Statements, table: string, column: 'expires_at' | 'forgotten_at' = 'expires_at'): Command {
  return sql.command(
    `DELETE FROM ${table} WHERE rowid IN
       (SELECT rowid FROM ${table} WHERE namespace = @ns AND ${column} <= @now LIMIT ${purgedAtOnce})`,
  );
}
