// The entries of the audit as rows. They are added without a place in the order. A reader assigns places to all entries
// committed by then (decision 8). So no commit waits for another, and no cursor skips an entry (PGS-20).
import * as z from 'zod';
import { auditBounds, surplusEntries } from '#shared/model/audit/audit-bounds.ts';
import { bytesOfEntry, countersOf, noCounters } from '#shared/model/audit/audit-entry.ts';
import type { AuditCounters, AuditEntry } from '#shared/model/audit/audit-event.ts';
import { auditedRequestShape, detailsShape, encoded, presentRow } from '../../json-columns.ts';
import type { NamespaceKey } from '../../namespace-id.ts';
import { countersRow } from '../../rows/audit-counters.ts';
import { entryMembers } from '../../rows/audit-entry.ts';
import type { PreparedText } from '../connection.ts';
import { jsonRows } from '../json-rows.ts';
import { slotOfSession } from '../schema/session-slots.ts';
import { command, query, type Runner, type Writer } from '../statement.ts';
import { nextNumber } from './event-numbers.ts';

export const entryColumns = `recorded_at, clock, event_type, username, client_id, ip_address, user_agent, endpoint, method,
  status, details`;

export const entryRow = z.object({
  place: z.number(),
  recorded_at: z.number(),
  clock: z.number().nullable(),
  ...entryMembers,
  details: encoded(detailsShape),
  request: encoded(auditedRequestShape).nullable().optional(),
});

const counterNames = Object.keys(noCounters);

const counted = ['kept', 'bytes', ...counterNames];

const addCounted = (where: string) => `INSERT INTO audit_counters AS c (namespace, slot, ${counted.join(', ')})
     SELECT @ns::text, ${slotOfSession}, ${counted.map((name) => `@${name}::bigint`).join(', ')} ${where}
     ON CONFLICT (namespace, slot) DO UPDATE SET ${counted.map((name) => `${name} = c.${name} + excluded.${name}`).join(', ')}`;

const sql = {
  // An event that is written again under its number already exists and is already counted.
  append: command(
    `WITH written AS (
       INSERT INTO events (seq, namespace, bytes, ${entryColumns}, request) OVERRIDING SYSTEM VALUE
       SELECT coalesce(seq, ${nextNumber}), @ns, bytes, ${entryColumns}, request
       FROM json_to_recordset(@rows::json) AS r(seq bigint, bytes bigint, recorded_at bigint,
         clock bigint, event_type text, username text, client_id text, ip_address text, user_agent text, endpoint text,
         method text, status text, details text, request text)
       ON CONFLICT (seq) DO NOTHING RETURNING seq)
     ${addCounted('WHERE EXISTS (SELECT FROM written)')}`,
  ),
  count: command(addCounted('')),
  hasUnplaced: query('SELECT 1 AS present FROM events WHERE namespace = @ns AND place IS NULL LIMIT 1', presentRow),
  place: command(
    `WITH found AS (
       SELECT seq, row_number() OVER (ORDER BY xid, seq) AS number FROM events WHERE namespace = @ns AND place IS NULL),
     total AS (SELECT count(*) AS number FROM found),
     base AS (
       UPDATE audits SET last_place = last_place + (SELECT number FROM total) WHERE namespace = @ns RETURNING last_place)
     UPDATE events SET place = base.last_place - total.number + found.number
     FROM found, total, base WHERE events.seq = found.seq`,
  ),
  size: query(
    `SELECT kept_max, (SELECT coalesce(sum(kept), 0)::bigint FROM audit_counters c WHERE c.namespace = a.namespace) AS kept,
       (SELECT coalesce(sum(bytes), 0)::bigint FROM audit_counters c WHERE c.namespace = a.namespace) AS bytes
     FROM audits a WHERE namespace = @ns`,
    z.object({ kept_max: z.number(), kept: z.number(), bytes: z.number() }),
  ),
  oldest: query(
    'SELECT bytes FROM events WHERE namespace = @ns AND place IS NOT NULL ORDER BY place LIMIT nullif(@limit::bigint, -1)',
    z.object({ bytes: z.number() }),
  ),
  evict: command(
    `DELETE FROM events WHERE seq IN (
       SELECT seq FROM events WHERE namespace = @ns AND place IS NOT NULL ORDER BY place LIMIT @surplus)`,
  ),
  counters: query(
    `SELECT ${counterNames.map((name) => `coalesce(sum(${name}), 0)::bigint AS ${name}`).join(', ')}
     FROM audit_counters WHERE namespace = @ns`,
    countersRow,
  ),
  // No event waits for a clear, so an event committed meanwhile stays: only events in this snapshot are subtracted.
  clear: command(
    `WITH seen AS MATERIALIZED (SELECT slot, ${counted.join(', ')} FROM audit_counters WHERE namespace = @ns),
       gone AS (DELETE FROM events WHERE namespace = @ns)
     UPDATE audit_counters c SET ${counted.map((name) => `${name} = c.${name} - seen.${name}`).join(', ')}
     FROM seen WHERE c.namespace = @ns AND c.slot = seen.slot`,
  ),
  begin: command('INSERT INTO audits (namespace, kept_max) VALUES (@ns, @kept_max) ON CONFLICT DO NOTHING'),
};

const nothing = Object.fromEntries(counterNames.map((name) => [name, 0]));

/** Returns the statement that adds the entries. `numbers`: those of entries that may have been added already. */
export function addition(
  ns: NamespaceKey,
  entries: readonly AuditEntry[],
  numbers: readonly number[] = [],
): PreparedText {
  const sizes = entries.map(bytesOfEntry);
  const rows = entries.map(({ timestamp, clock, details, request, ...entry }, index) => ({
    ...entry,
    seq: numbers[index],
    bytes: sizes[index] ?? 0,
    recorded_at: Date.parse(timestamp),
    clock: clock === null ? null : Date.parse(clock),
    details: JSON.stringify(details),
    request: request === undefined ? null : JSON.stringify(request),
  }));
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  return sql.append.bound({ ns, rows: jsonRows(rows), kept: entries.length, bytes, ...countersOf(entries) });
}

export async function hasUnplaced(on: Runner, ns: NamespaceKey): Promise<boolean> {
  return (await sql.hasUnplaced.get(on, { ns })) !== undefined;
}

/** Inside a transaction under the lock of the audit: assigns places and evicts entries beyond the bound. */
export async function placeEntries(on: Writer, ns: NamespaceKey): Promise<void> {
  sql.place.put(on, { ns });
  const size = await sql.size.get(on, { ns });
  if (size === undefined) return;
  const bounds = auditBounds(size.kept_max);
  const isWithin = size.kept <= bounds.entries && size.bytes <= bounds.bytes;
  if (isWithin) return;
  const limit = size.bytes > bounds.bytes ? -1 : size.kept - bounds.entries;
  const sizes = (await sql.oldest.all(on, { ns, limit })).map(({ bytes }) => bytes);
  const surplus = surplusEntries({ entries: size.kept, bytes: size.bytes }, bounds, () => sizes.values());
  if (surplus.entries === 0) return;
  sql.evict.put(on, { ns, surplus: surplus.entries });
  sql.count.put(on, { ns, ...nothing, kept: -surplus.entries, bytes: -surplus.bytes });
}

export async function readCounters(on: Runner, ns: NamespaceKey): Promise<AuditCounters> {
  return (await sql.counters.get(on, { ns })) ?? noCounters;
}

/** Inside a transaction under the lock of the audit. */
export async function clearEntries(on: Writer, ns: NamespaceKey): Promise<void> {
  sql.clear.put(on, { ns });
}

/** Inside a transaction: begins the audit of a namespace with this bound. */
export async function beginAudit(on: Runner, ns: NamespaceKey, entriesMax: number): Promise<void> {
  await sql.begin.run(on, { ns, kept_max: entriesMax });
}

export function entryOf({ recorded_at, clock, request, place: _, ...row }: z.output<typeof entryRow>): AuditEntry {
  const timestamp = new Date(recorded_at).toISOString();
  const optional = request === null || request === undefined ? {} : { request };
  return { timestamp, clock: clock === null ? null : new Date(clock).toISOString(), ...row, ...optional };
}
