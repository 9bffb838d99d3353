// The look that every operation needs (cached-state.ts), taken once for all that happens in one turn of the event loop, of whatever
// namespaces they are (PGS-24). It begins at the end of the turn: what was asked in it was sent before.
import { setImmediate as endOfTurn } from 'node:timers/promises';
import { NamespaceEndedError, type NamespaceKey } from '../namespace-id.ts';
import { RuntimeStoreUnavailableError } from '../runtime-store-unavailable.ts';
import type { CachedState } from './cached-state.ts';
import type { PostgresDatabase } from './database.ts';

export interface SharedLook {
  /** The newest generation of a namespace. @throws NamespaceEndedError */
  newest(ns: NamespaceKey): Promise<number>;
  /** What this process changed it knows at once, unless the store went away after the change, which is no failure of it. */
  afterChange(ns: NamespaceKey): Promise<void>;
}

type Generations = ReadonlyMap<NamespaceKey, number>;

/** `explain`: what an error of the look means to whoever asked. */
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
      return await database.read((on) => cached.lookAt(on, [...asked]));
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
