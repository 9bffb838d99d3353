// When rows expire: a table for each kind, with the column of its expiry.
import { type CommandText, command } from './text.ts';

interface ExpiringTable {
  readonly table: string;
  readonly column: 'expires_at' | 'forgotten_at';
  /**
   * True: an expired row stays expired, wherever the clock moves. False: expiry is decided again by the current clock.
   */
  readonly endsForGood: boolean;
}

/** Tables whose rows expire by the clock of their namespace. */
export const expiringTables: readonly ExpiringTable[] = [
  { table: 'transactions', column: 'expires_at', endsForGood: true },
  { table: 'codes', column: 'expires_at', endsForGood: true },
  { table: 'second_factors', column: 'expires_at', endsForGood: true },
  { table: 'logout_confirmations', column: 'expires_at', endsForGood: true },
  { table: 'saml_logouts', column: 'expires_at', endsForGood: true },
  { table: 'ended_assertions', column: 'expires_at', endsForGood: true },
  { table: 'verified_authn_requests', column: 'expires_at', endsForGood: true },
  { table: 'pushed_requests', column: 'expires_at', endsForGood: true },
  { table: 'device_grants', column: 'forgotten_at', endsForGood: true },
  { table: 'rate_windows', column: 'expires_at', endsForGood: false },
  // The settings decide when a session expires. Expired ones are ended before a clock moves back (`endExpired` of its
  // rows).
  { table: 'sessions', column: 'forgotten_at', endsForGood: false },
];

/** Tables whose rows expire by real time. */
const tablesKeptByRealTime = ['token_memory', 'typed_claims'];

/** Deletes, table by table, the rows of `@ns` that have expired at `@now`. */
export function endingsOf(tables: readonly ExpiringTable[]): Readonly<Record<string, CommandText>> {
  return Object.fromEntries(
    tables.map(({ table, column }) => [
      table,
      command(`DELETE FROM ${table} WHERE namespace = @ns AND ${column} <= @now`),
    ]),
  );
}

/** Deletes, table by table, the rows of all namespaces that have expired at `@real`. */
export const purgeTexts: Readonly<Record<string, CommandText>> = Object.fromEntries(
  tablesKeptByRealTime.map((table) => [table, command(`DELETE FROM ${table} WHERE kept_until <= @real`)]),
);
