// What the operations of one namespace work with: the database as that namespace sees it.
import { defaultNamespace, NamespaceEndedError, type NamespaceKey } from '../namespace-id.ts';
import { namespaceLifeTexts } from '../statements/namespaces.ts';
import type { CommonContext } from '../store-context.ts';
import type { PreparedText } from './connection.ts';
import type { Lock, PostgresDatabase } from './database.ts';
import { prepared, type Runner } from './statement.ts';
import type { Transaction } from './transaction.ts';

/** Names an object of this namespace, or one that all namespaces share. */
type NamespaceLock = string | { readonly everywhere: string };

export interface NamespaceDatabase {
  read<Result>(work: (on: Runner) => Promise<Result>): Promise<Result>;
  write<Result>(
    lock: NamespaceLock | readonly NamespaceLock[],
    work: (on: Transaction) => Promise<Result>,
  ): Promise<Result>;
  /** One round trip. Each statement detects whether it already ran. Returns how many rows each changed. */
  change(
    lock: NamespaceLock | readonly NamespaceLock[],
    statements: readonly PreparedText[],
    recorded?: Transaction['recorded'],
  ): Promise<readonly number[]>;
}

export interface StoreContext extends CommonContext {
  readonly database: PostgresDatabase;
}

export interface NamespaceContext extends CommonContext {
  readonly database: NamespaceDatabase;
  readonly ns: NamespaceKey;
}

const { life } = prepared(namespaceLifeTexts);

/** Shared by operations that write in a namespace, and exclusive for the one that ends it. */
export function namespaceLock(ns: NamespaceKey): string {
  return `life ${ns}`;
}

export async function livesNow(on: Runner, ns: NamespaceKey): Promise<boolean> {
  return (await life.get(on, { ns })) !== undefined;
}

/**
 * Throws NamespaceEndedError for every operation after the namespace has ended, so that a request in progress leaves
 * nothing behind (SBX-10, SBX-14). The default namespace never ends and skips the check.
 */
export function databaseOf(database: PostgresDatabase, ns: NamespaceKey): NamespaceDatabase {
  const locksOf = (requested: NamespaceLock | readonly NamespaceLock[]): Lock[] =>
    [requested].flat().map((lock) => (typeof lock === 'string' ? `${ns} ${lock}` : lock.everywhere));
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
  const locked = (lock: NamespaceLock | readonly NamespaceLock[]) => [{ shared: namespaceLock(ns) }, ...locksOf(lock)];
  return {
    // Checked after the read: everything was read while the namespace was live.
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
