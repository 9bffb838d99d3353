// What the operations of one namespace work with: the database, the namespace of its rows, and the deletion of expired
// rows. A few rows are deleted at a time, so that no request pays for a long sweep.
import { defaultNamespace, NamespaceEndedError, type NamespaceKey } from '../namespace-id.ts';
import { namespaceLifeTexts } from '../statements/namespaces.ts';
import { type CommandText, command } from '../statements/text.ts';
import { type CommonContext, purgedAtOnce } from '../store-context.ts';
import type { StoreDatabase } from './database.ts';

/**
 * The database as one namespace sees it. Statements are shared by all namespaces. Transactions check that the namespace
 * is live.
 */
export type NamespaceDatabase = Pick<StoreDatabase, 'prepare' | 'prepared' | 'read' | 'write' | 'free'>;

export interface StoreContext extends CommonContext {
  readonly database: StoreDatabase;
}

export interface NamespaceContext extends CommonContext {
  readonly database: NamespaceDatabase;
  readonly ns: NamespaceKey;
}

/**
 * Throws NamespaceEndedError for every operation after the namespace has ended, so that a request in progress leaves
 * nothing behind (SBX-10, SBX-14). The default namespace never ends and skips the check.
 */
export function databaseOf(database: StoreDatabase, ns: NamespaceKey): NamespaceDatabase {
  if (ns === defaultNamespace) return database;
  const { life } = database.prepare(namespaceLifeTexts);
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
    prepare: (texts) => database.prepare(texts),
    prepared: (make) => database.prepared(make),
    // Checked after the read: everything was read while the namespace was live.
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

/** Deletes a few rows of `@ns` that have expired at `@now`. Must run inside the transaction that adds one. */
export function purgeOf(table: string, column: 'expires_at' | 'forgotten_at' = 'expires_at'): CommandText {
  return command(
    `DELETE FROM ${table} WHERE rowid IN
       (SELECT rowid FROM ${table} WHERE namespace = @ns AND ${column} <= @now LIMIT ${purgedAtOnce})`,
  );
}
