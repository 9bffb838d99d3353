// The look that every operation needs (cached-state.ts), taken once for all operations of one turn of the event loop, whatever their
// namespaces (PGS-24). It begins at the end of the turn, behind the statements that were sent in it.
import { setImmediate as endOfTurn } from 'node:timers/promises';
import { NamespaceEndedError, type NamespaceKey } from '../namespace-id.ts';
import { RuntimeStoreUnavailableError } from '../runtime-store-unavailable.ts';
import type { CachedState } from './cached-state.ts';
import type { PostgresDatabase } from './database.ts';

export interface SharedLook {
  /** The newest generation of a namespace. @throws NamespaceEndedError */
  newest(ns: NamespaceKey): Promise<number>;
  /** A process knows at once what it changed itself; that the store went away after the change is no failure of the change. */
  afterChange(ns: NamespaceKey): Promise<void>;
}

type Generations = ReadonlyMap<NamespaceKey, number>;

/** `explain`: turns an error of the look into the one that the operation throws. */
export function openSharedLook(
  database: PostgresDatabase,
  cached: CachedState,
  explain: (error: unknown) => Promise<unknown>,
): SharedLook {
  let next: { readonly asked: Set<NamespaceKey>; readonly answer: Promise<Generations> } | undefined;
  const look = async (asked: ReadonlySet<NamespaceKey>) => {
    await endOfTurn();
    next = undefined;
    try {
      return await database.read((on) => cached.refreshAll(on, [...asked]));
    } catch (error) {
      throw await explain(error);
    }
  };
  const newest = async (ns: NamespaceKey) => {
    if (next === undefined) {
      const asked = new Set<NamespaceKey>();
      next = { asked, answer: look(asked) };
    }
    next.asked.add(ns);
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
