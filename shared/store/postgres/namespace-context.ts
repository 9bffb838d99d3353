// What every adapter of a port works with: the database as one namespace sees it, and the removal of rows whose time is
// over, a few at a time, so that no request pays for a big sweep.
import type { Clock } from '#shared/clock.ts';
import type { Logger } from '#shared/logger.ts';
import type { Randomness } from '#shared/random.ts';
import { presentRow } from '../json-columns.ts';
import { defaultNamespace, NamespaceEndedError, type NamespaceKey } from '../namespace-id.ts';
import type { OnStoreStep } from '../store-steps.ts';
import type { PreparedText } from './connection.ts';
import type { Lock, PostgresDatabase } from './database.ts';
import { type Command, query, type Runner, sql } from './statement.ts';
import type { Transaction } from './transaction.ts';

/** Names a thing of this namespace, or one that all namespaces share. */
type NamespaceLock = string | { readonly everywhere: string };

export interface NamespaceDatabase {
  read<Result>(work: (on: Runner) => Promise<Result>): Promise<Result>;
  write<Result>(
    lock: NamespaceLock | readonly NamespaceLock[],
    work: (on: Transaction) => Promise<Result>,
  ): Promise<Result>;
  /** One round trip; each statement finds out that it was done before. Answers how many rows each changed. */
  change(
    lock: NamespaceLock | readonly NamespaceLock[],
    statements: readonly PreparedText[],
    recorded?: Transaction['recorded'],
  ): Promise<readonly number[]>;
}

/** What all namespaces of an opened store share. */
export interface StoreContext {
  readonly database: PostgresDatabase;
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

const life = query('SELECT 1 AS present FROM namespaces WHERE namespace = @ns', presentRow);

/** Held by whatever writes in a namespace, and alone by who ends it. */
export function lockOfLife(ns: NamespaceKey): string {
  return `life ${ns}`;
}

export async function livesNow(on: Runner, ns: NamespaceKey): Promise<boolean> {
  return (await life.get(on, { ns })) !== undefined;
}

/**
 * Refuses, with NamespaceEndedError, whatever comes when the namespace is gone, so that a request that was under way as it
 * ended leaves nothing behind (SBX-10, SBX-14). The default namespace never ends, and pays nothing.
 */
export function databaseOf(database: PostgresDatabase, ns: NamespaceKey): NamespaceDatabase {
  const locksOf = (asked: NamespaceLock | readonly NamespaceLock[]): Lock[] =>
    [asked].flat().map((lock) => (typeof lock === 'string' ? `${ns} ${lock}` : lock.everywhere));
  if (ns === defaultNamespace) {
    return {
      read: (work) => database.read(work),
      write: (lock, work) => database.write(locksOf(lock), work),
      change: async (lock, statements, recorded) =>
        (await database.change(locksOf(lock), statements, recorded)).map(({ count }) => count),
    };
  }
  const requireLife = async (on: Runner) => {
    if (!(await livesNow(on, ns))) throw new NamespaceEndedError(ns);
  };
  const locked = (lock: NamespaceLock | readonly NamespaceLock[]) => [{ shared: lockOfLife(ns) }, ...locksOf(lock)];
  return {
    // Asked after the reading: whatever was read was read while it lived.
    read: (work) =>
      database.read(async (on) => {
        const result = await work(on);
        await requireLife(on);
        return result;
      }),
    write: (lock, work) =>
      database.write(locked(lock), async (on) => {
        await requireLife(on);
        return work(on);
      }),
    change: (lock, statements, recorded = []) =>
      database.write(locked(lock), async (on) => {
        const [, ...answers] = await Promise.all([
          requireLife(on),
          ...statements.map((statement) => on.ask(statement)),
        ]);
        on.recorded.push(...recorded);
        return answers.map(({ count }) => count);
      }),
  };
}

export const purgedAtOnce = 20;

/** Removes a few rows of `@ns` whose time is over at `@now`; those that somebody else has in hand are left to him. */
export function purge(table: string, column: 'expires_at' | 'forgotten_at' = 'expires_at'): Command {
  return sql.command(
    `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
       SELECT ctid FROM ${table} WHERE namespace = @ns AND ${column} <= @now LIMIT ${purgedAtOnce}
       FOR UPDATE SKIP LOCKED))`,
  );
}
