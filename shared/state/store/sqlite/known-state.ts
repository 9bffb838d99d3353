// The state of a namespace that this process caches, on SQLite.
import type { NamespaceKey } from '../namespace-id.ts';
import type { KnownState } from '../operations/known-state.ts';
import type { CachedState } from './cached-state.ts';
import { asUnavailable, isBusy } from './database.ts';
import type { NamespaceDatabase } from './namespace-context.ts';
import { Answered } from './steps.ts';

export function knownState(
  { database, ns }: { readonly database: NamespaceDatabase; readonly ns: NamespaceKey },
  cached: CachedState,
): KnownState {
  const look = () => cached.refresh(ns);
  return {
    clock: () => cached.clockOf(ns),
    faults: () => cached.faultsOf(ns),
    recorder: () => cached.recorderOf(ns),
    refresh: () => new Answered(look()),
    newestGeneration: () => database.read(look),
    afterChange: async () => void (await database.read(look)),
    glance: () => {
      try {
        look();
      } catch (error) {
        if (!isBusy(error) && asUnavailable(error) === error) throw error;
      }
      return undefined;
    },
  };
}
