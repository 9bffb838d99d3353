// Everything whose time is over, of all namespaces at once: for when there is no room.
import * as z from 'zod';
import { type Clock, instant } from '#shared/clock.ts';
import { readClock } from '#shared/domain/movable-clock.ts';
import type { CachedState } from './cached-state.ts';
import type { Statements, StoreDatabase } from './database.ts';

const endings = [
  ['transactions', 'expires_at'],
  ['codes', 'expires_at'],
  ['second_factors', 'expires_at'],
  ['logout_confirmations', 'expires_at'],
  ['saml_logouts', 'expires_at'],
  ['verified_authn_requests', 'expires_at'],
  ['rate_windows', 'expires_at'],
  ['device_grants', 'forgotten_at'],
  ['sessions', 'forgotten_at'],
] as const;

const statements = (sql: Statements) => ({
  namespaces: sql.query('SELECT namespace FROM namespaces', z.object({ namespace: z.string() })),
  endings: endings.map(([table, column]) =>
    sql.command(`DELETE FROM ${table} WHERE namespace = @ns AND ${column} <= @now`),
  ),
  forgettings: ['token_memory', 'typed_claims'].map((table) =>
    sql.command(`DELETE FROM ${table} WHERE kept_until <= @real`),
  ),
});

/** To be run inside a write transaction. */
export function sweepOf(database: StoreDatabase, cached: CachedState, realClock: Clock): () => void {
  const sql = database.prepared(statements);
  return () => {
    const real = realClock.now();
    for (const forgetting of sql.forgettings) forgetting.run({ real });
    for (const { namespace: ns } of sql.namespaces.all({})) {
      const now = readClock(cached.clockOf(ns), instant(real));
      for (const ending of sql.endings) ending.run({ ns, now });
    }
  };
}
