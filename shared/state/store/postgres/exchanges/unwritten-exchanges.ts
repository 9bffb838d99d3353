// Exchanges of other processes that are not written yet although their requests were answered. A process does not
// announce them, because that would add a commit for each response. The audit shows them instead: the event of a
// request is committed before the response and names the request. Readers wait until the exchanges of the last second
// are written (REC-09).
import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod';
import { auditedRequestShape, encoded } from '../../json-columns.ts';
import { emptied } from '../../rows/exchange.ts';
import { jsonRows } from '../json-rows.ts';
import type { NamespaceContext } from '../namespace-context.ts';
import { query, type Runner } from '../statement.ts';

/** The longest wait for a process that may be dead. */
const onTheirWayMilliseconds = 1000;
const pauseMilliseconds = 10;
/** The maximum numbers of events and exchanges that are searched. */
const lookedAt = { events: 1000, exchanges: 5000 };

const requestRow = z.object({ recorded_at: z.number(), request: encoded(auditedRequestShape) });

const sql = {
  // Events without a place are those that no reader has seen. The alternative would be a scan of the whole audit.
  recent: query(
    `SELECT recorded_at, request FROM events
     WHERE namespace = @ns AND place IS NULL AND recorded_at > @since AND request IS NOT NULL
     UNION ALL
     SELECT recorded_at, request FROM (
       SELECT recorded_at, request FROM events WHERE namespace = @ns AND place IS NOT NULL
       ORDER BY place DESC LIMIT ${lookedAt.events}) AS newest
     WHERE recorded_at > @since AND request IS NOT NULL`,
    requestRow,
  ),
  emptied: query('SELECT flow AS at FROM flow_keys WHERE namespace = @ns AND key = @key', z.object({ at: z.number() })),
  written: query(
    `SELECT request_id FROM (SELECT request_id FROM exchanges ORDER BY seq DESC LIMIT ${lookedAt.exchanges}) AS newest
     WHERE request_id IN (SELECT json_array_elements_text(@requests::json))`,
    z.object({ request_id: z.string() }),
  ),
};

/** Resolves once every exchange answered until now can be read or is lost. */
export async function waitForUnwritten({ database, ns, realClock }: NamespaceContext): Promise<void> {
  let missing = await database.read((on) => answeredLately(on, ns, realClock.now() - onTheirWayMilliseconds));
  for (let waited = 0; missing.length > 0; waited += pauseMilliseconds) {
    const requests = jsonRows(missing);
    const written = await database.read((on) => sql.written.all(on, { requests }));
    const there = new Set(written.map(({ request_id }) => request_id));
    missing = missing.filter((request) => !there.has(request));
    if (missing.length === 0 || waited >= onTheirWayMilliseconds) return;
    await pause(pauseMilliseconds);
  }
}

/** Returns the requests with an event since then, except those whose exchanges may have been removed. */
async function answeredLately(on: Runner, ns: string, since: number): Promise<readonly string[]> {
  const [recent, removed] = await Promise.all([
    sql.recent.all(on, { ns, since }),
    sql.emptied.get(on, { ns, key: emptied.key }),
  ]);
  const from = removed?.at ?? 0;
  const requests = recent.flatMap(({ recorded_at, request: { id } }) =>
    id === undefined || recorded_at <= from ? [] : [id],
  );
  return [...new Set(requests)];
}
