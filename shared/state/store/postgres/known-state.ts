// The state of a namespace that this process caches, on PostgreSQL.
import { setTimeout as pause } from 'node:timers/promises';
import type { NamespaceKey } from '../namespace-id.ts';
import type { KnownState } from '../operations/known-state.ts';
import { RuntimeStoreUnavailableError } from '../runtime-store-unavailable.ts';
import type { CachedState } from './cached-state.ts';
import type { SharedRefresh } from './shared-refresh.ts';
import { awaited, runner } from './steps.ts';

/** The longest wait of a request that needs nothing else of the store (PGS-30). */
const patienceMilliseconds = 250;

export function knownState(ns: NamespaceKey, cached: CachedState, sharedLook: SharedRefresh): KnownState {
  return {
    clock: () => cached.clockOf(ns),
    faults: () => cached.faultsOf(ns),
    recorder: () => cached.recorderOf(ns),
    refresh: () => awaited(cached.refresh(runner(), ns)),
    newestGeneration: () => sharedLook.newest(ns),
    afterChange: () => sharedLook.afterChange(ns),
    glance: withoutPatience(() => sharedLook.newest(ns)),
  };
}

/** While a read is overdue, other calls do not wait. @throws nothing when the store is unavailable */
function withoutPatience(look: () => Promise<unknown>): () => Promise<void> {
  let isOverdue = false;
  return async () => {
    if (isOverdue) return;
    const patience = new AbortController();
    const looking = look().catch((error: unknown) => {
      if (!(error instanceof RuntimeStoreUnavailableError)) throw error;
    });
    const overdue = pause(patienceMilliseconds, true, { signal: patience.signal }).catch(() => false);
    isOverdue = await Promise.race([looking.then(() => false), overdue]).finally(() => patience.abort());
    if (!isOverdue) return;
    const answered = () => {
      isOverdue = false;
    };
    looking.then(answered, answered);
  };
}
