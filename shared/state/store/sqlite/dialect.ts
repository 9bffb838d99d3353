// The SQL that is specific to SQLite.
import type { Dialect } from '../operations/work.ts';
import { command } from '../statements/text.ts';
import { purgedAtOnce } from '../store-context.ts';
import { purgeOf } from './namespace-context.ts';
import { addressExpression } from './schema/identities.ts';

export const sqliteDialect: Dialect = {
  purge: purgeOf,
  purgeWhere: (table, key, condition) =>
    command(
      `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE ${condition} LIMIT ${purgedAtOnce})`,
    ),
  indexed: (column) => column,
  greatest: (one, other) => `max(${one}, ${other})`,
  elements: (parameter) => `json_each(${parameter})`,
  flag: (column, member) => `(${column} ->> '$.${member}')`,
  isAmong: (column, parameter) => `${column} IN (SELECT value FROM json_each(${parameter}))`,
  beyond: (kept) => `LIMIT -1 OFFSET ${kept}`,
  nextSessionUse: '(SELECT coalesce(max(latest.use_number), 0) + 1 FROM sessions latest WHERE latest.namespace = @ns)',
  locked: () => '',
  userAddress: addressExpression,
  either: ({ sqlite }) => sqlite,
};
