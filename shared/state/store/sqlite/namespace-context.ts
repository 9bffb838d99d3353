// What the operations of one namespace work with: the database, the namespace its rows carry, and the removal of rows whose
// time is over, a few at a time, so that no request pays for a big sweep.
import { defaultNamespace, NamespaceEndedError, type NamespaceKey } from '../namespace-id.ts';
import { lifeTexts } from '../statements/namespaces.ts';
import { type CommandText, command } from '../statements/text.ts';
import { type CommonContext, purgedAtOnce } from '../store-context.ts';
import type { StoreDatabase } from './database.ts';

/** The database as one namespace sees it: statements are shared with all others, transactions know whether it lives. */
export type NamespaceDatabase = Pick<StoreDatabase, 'prepare' | 'prepared' | 'read' | 'write' | 'free'>;

export interface StoreContext extends CommonContext {
  readonly database: StoreDatabase;
}

export interface NamespaceContext extends CommonContext {
  readonly database: NamespaceDatabase;
  readonly ns: NamespaceKey;
}

/**
 * Refuses, with NamespaceEndedError, whatever comes when the namespace is gone, so that a request that was under way as it
 * ended leaves nothing behind (SBX-10, SBX-14). The default namespace never ends, and pays nothing.
 */
export function databaseOf(database: StoreDatabase, ns: NamespaceKey): NamespaceDatabase {
  if (ns === defaultNamespace) return database;
  const { life } = database.prepare(lifeTexts);
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

/** Removes a few rows of `@ns` whose time is over at `@now`; to be run inside the transaction that adds one. */
export function purgeOf(table: string, column: 'expires_at' | 'forgotten_at' = 'expires_at'): CommandText {
  return command(
    `DELETE FROM ${table} WHERE rowid IN
       (SELECT rowid FROM ${table} WHERE namespace = @ns AND ${column} <= @now LIMIT ${purgedAtOnce})`,
  );
}
