// Deletes everything that has expired, of all namespaces at once. Runs when no space is left.
import { type Clock, instant } from '#shared/base/clock.ts';
import { readClock } from '#shared/model/domain/movable-clock.ts';
import { forgetUsedAssertions } from '../operations/token-state.ts';
import { namespaceRow } from '../rows/namespace.ts';
import { endingsOf, expiringTables, purgeTexts } from '../statements/expiring-tables.ts';
import { query } from '../statements/text.ts';
import type { CachedState } from './cached-state.ts';
import type { StoreDatabase } from './database.ts';

const texts = {
  namespaces: query('SELECT namespace FROM namespaces', namespaceRow),
  assertions: forgetUsedAssertions,
};
const endingTexts = endingsOf(expiringTables);

/** Must run inside a write transaction. */
export function sweepOf(database: StoreDatabase, cached: CachedState, realClock: Clock): () => void {
  const { namespaces, assertions } = database.prepare(texts);
  const forgettings = Object.values(database.prepare(purgeTexts));
  const endings = Object.values(database.prepare(endingTexts));
  return () => {
    const real = realClock.now();
    for (const forgetting of forgettings) forgetting.run({ real });
    for (const { namespace: ns } of namespaces.all({})) {
      const now = readClock(cached.clockOf(ns), instant(real));
      for (const ending of endings) ending.run({ ns, now });
      assertions.run({ ns, now, real });
    }
  };
}
