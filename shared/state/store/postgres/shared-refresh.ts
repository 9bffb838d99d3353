// The read that every operation needs (cached-state.ts), made once for all operations of one event-loop turn, in all
// namespaces (PGS-24). It begins at the end of the turn, after the statements that were sent in it.
import { setImmediate as endOfTurn } from 'node:timers/promises';
import { NamespaceEndedError, type NamespaceKey } from '../namespace-id.ts';
import { RuntimeStoreUnavailableError } from '../runtime-store-unavailable.ts';
import type { CachedState } from './cached-state.ts';
import type { PostgresDatabase } from './database.ts';

export interface SharedRefresh {
  /** Returns the newest generation of a namespace. @throws NamespaceEndedError */
  newest(ns: NamespaceKey): Promise<number>;
  /**
   * Updates the cache of this process after its own change. Does not fail when the store became unavailable after the
   * change.
   */
  afterChange(ns: NamespaceKey): Promise<void>;
}

type Generations = ReadonlyMap<NamespaceKey, number>;

/** `explain`: turns an error of the read into the one that the operation throws. */
export function openSharedRefresh(
  database: PostgresDatabase,
  cached: CachedState,
  explain: (error: unknown) => Promise<unknown>,
): SharedRefresh {
  let next: { readonly namespaces: Set<NamespaceKey>; readonly answer: Promise<Generations> } | undefined;
  const look = async (namespaces: ReadonlySet<NamespaceKey>) => {
    await endOfTurn();
    next = undefined;
    try {
      return await database.read((on) => cached.refreshAll(on, [...namespaces]));
    } catch (error) {
      throw await explain(error);
    }
  };
  const newest = async (ns: NamespaceKey) => {
    if (next === undefined) {
      const namespaces = new Set<NamespaceKey>();
      next = { namespaces: namespaces, answer: look(namespaces) };
    }
    next.namespaces.add(ns);
    const generation = (await next.answer).get(ns);
    if (generation === undefined) throw new NamespaceEndedError(ns);
    return generation;
  };
  return {
    newest,
    afterChange: async (ns) => {
      try {
        await newest(ns);
      } catch (error) {
        if (!(error instanceof RuntimeStoreUnavailableError)) throw error;
      }
    },
  };
}
