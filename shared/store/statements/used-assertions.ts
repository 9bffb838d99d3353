// The statements about `used_assertions`. A row goes once it is over by real time and the assertion cannot count any more: it is over
// by the clock of the namespace, too, or was used while that was further on.
import { presentRow } from '../json-columns.ts';
import { purgedAtOnce } from '../store-context.ts';
import { command, query, type StatementTexts } from './text.ts';

export const isAssertionOver = 'real_until <= @real AND (expires_at <= @now OR used_at > @now)';

export const usedAssertionTexts = {
  purge: command(
    `DELETE FROM used_assertions WHERE namespace = @ns AND digest IN (
       SELECT digest FROM used_assertions WHERE namespace = @ns AND ${isAssertionOver} LIMIT ${purgedAtOnce})`,
  ),
  find: query(
    `SELECT 1 AS present FROM used_assertions WHERE namespace = @ns AND digest = @digest AND NOT (${isAssertionOver})`,
    presentRow,
  ),
  keep: command(
    `INSERT INTO used_assertions (namespace, digest, used_at, expires_at, real_until)
     VALUES (@ns, @digest, @now, @expires_at, @real_until)
     ON CONFLICT (namespace, digest) DO UPDATE SET
       used_at = excluded.used_at, expires_at = excluded.expires_at, real_until = excluded.real_until`,
  ),
} satisfies StatementTexts;

/** Of all that is over in a namespace, for when there is no room. */
export const forgetUsedAssertions = command(`DELETE FROM used_assertions WHERE namespace = @ns AND ${isAssertionOver}`);
