// Which rows are over when: a table for each kind, with the column that says so.
import { type CommandText, command } from './text.ts';

interface ExpiringTable {
  readonly table: string;
  readonly column: 'expires_at' | 'forgotten_at';
  /** What is over never lives again, wherever the clock goes; the others are judged anew by what the clock says then. */
  readonly endsForGood: boolean;
}

/** Tables whose rows are over by the clock of their namespace. */
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
  // When a session is over the settings say; those that are over are ended before a clock goes back (`endOver` of its rows).
  { table: 'sessions', column: 'forgotten_at', endsForGood: false },
];

/** Kept until a moment of real time. */
const tablesKeptByRealTime = ['token_memory', 'typed_claims'];

/** Removes, table by table, the rows of `@ns` that are over at `@now`. */
export function endingsOf(tables: readonly ExpiringTable[]): Readonly<Record<string, CommandText>> {
  return Object.fromEntries(
    tables.map(({ table, column }) => [
      table,
      command(`DELETE FROM ${table} WHERE namespace = @ns AND ${column} <= @now`),
    ]),
  );
}

/** Removes, table by table, the rows of all namespaces that are over at `@real`. */
export const forgettingTexts: Readonly<Record<string, CommandText>> = Object.fromEntries(
  tablesKeptByRealTime.map((table) => [table, command(`DELETE FROM ${table} WHERE kept_until <= @real`)]),
);
