// The statements about `faults`.
import { faultsKeptMax } from '#shared/domain/fault.ts';
import { countRow } from '../json-columns.ts';
import { faultColumns, faultRow } from '../rows/fault.ts';
import { command, query, type StatementTexts } from './text.ts';

/** A fault that may still fire. */
export const live = '(remaining IS NULL OR remaining > 0) AND (expires_at IS NULL OR expires_at > @real)';

export const faultTexts = {
  list: query(`SELECT ${faultColumns} FROM faults WHERE namespace = @ns ORDER BY seq`, faultRow),
  find: query(`SELECT ${faultColumns} FROM faults WHERE namespace = @ns AND id = @id`, faultRow),
  // Only where there may be too many is each of them looked at.
  countLive: query(
    `SELECT CASE WHEN (SELECT count(*) FROM faults WHERE namespace = @ns) < ${faultsKeptMax} THEN 0
       ELSE (SELECT count(*) FROM faults WHERE namespace = @ns AND ${live}) END AS count`,
    countRow,
  ),
  insert: command(
    `INSERT INTO faults (namespace, id, origin, entry, remaining, created_at, expires_at, unknown_key)
     VALUES (@ns, @id, @origin, @entry, @remaining, @created_at, @expires_at, @unknown_key)`,
  ),
  remove: command('DELETE FROM faults WHERE namespace = @ns AND id = @id'),
  claim: command(
    `UPDATE faults SET hits = hits + 1, remaining = remaining - 1 WHERE namespace = @ns AND id = @id AND ${live}`,
  ),
  noteFetch: command('UPDATE faults SET fetches = fetches + 1 WHERE namespace = @ns AND id = @id'),
} satisfies StatementTexts;
