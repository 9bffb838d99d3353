// The SQL that is specific to PostgreSQL.
import type { Dialect } from '../operations/work.ts';
import { command } from '../statements/text.ts';
import { purgedAtOnce } from '../store-context.ts';

/** Rows that another transaction has locked are skipped. */
const purgeWhere = (table: string, condition: string) =>
  command(
    `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
       SELECT ctid FROM ${table} WHERE ${condition} LIMIT ${purgedAtOnce} FOR UPDATE SKIP LOCKED))`,
  );

export const postgresDialect: Dialect = {
  purge: (table, column = 'expires_at') => purgeWhere(table, `namespace = @ns AND ${column} <= @now`),
  purgeWhere: (table, _key, condition) => purgeWhere(table, condition),
  indexed: (column) => `md5(${column})`,
  greatest: (one, other) => `greatest(${one}, ${other})`,
  elements: (parameter) => `json_array_elements(${parameter}::json)`,
  flag: (column, member) => `((${column}::json ->> '${member}')::boolean)::int`,
  isAmong: (column, parameter) => `${column} = ANY (ARRAY(SELECT json_array_elements_text(${parameter}::json)))`,
  beyond: (kept) => `OFFSET ${kept}`,
  nextSessionUse: "nextval('session_uses')",
  locked: (how) => ` ${how}`,
  userAddress: 'address',
  either: ({ postgres }) => postgres,
};
