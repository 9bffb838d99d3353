// The audit of each namespace in SQLite: entries in the order committed, bounded, with counters that eviction never
// lowers (AUD-02, AUD-05, AUD-06). Synchronous steps for inside a transaction; audit-recorder.ts says when they run.
import * as z from 'zod';
import { auditBounds, bytesOfEntry, countersOf, noCounters, surplusEntries } from '#shared/audit/audit-entry.ts';
import { type AuditCounters, type AuditEntry, auditEntriesMax, auditEventTypes } from '#shared/audit/audit-event.ts';
import { recorderBounds } from '#shared/domain/exchange.ts';
import { ownTurn } from '#shared/event-loop-turns.ts';
import { auditedRequestShape, detailsShape, encoded, presentRow } from '../../json-columns.ts';
import type { NamespaceKey } from '../../namespace-id.ts';
import type { AuditQuery } from '../../ports/audit.ts';
import { countersRow } from '../../rows/audit-counters.ts';
import type { StoreDatabase } from '../database.ts';
import type { ExchangeLog } from '../exchanges/exchange-log.ts';
import type { ExchangeRows } from '../exchanges/exchange-rows.ts';

const entryRow = z.object({
  recorded_at: z.number(),
  clock: z.number().nullable(),
  event_type: z.enum(auditEventTypes),
  username: z.string().nullable(),
  client_id: z.string().nullable(),
  ip_address: z.string().nullable(),
  user_agent: z.string().nullable(),
  endpoint: z.string().nullable(),
  method: z.string().nullable(),
  status: z.string(),
  details: encoded(detailsShape),
  request: encoded(auditedRequestShape).nullable().optional(),
});

const keptRow = z.object({ kept: z.number(), bytes: z.number(), kept_max: z.number() });
const sizeRow = z.object({ bytes: z.number() });

const endsRow = z.object({ first: z.number().nullable(), last: z.number().nullable() });
const nothing: z.output<typeof endsRow> = { first: null, last: null };

/** A quarter goes at once when there is no room, and so many at most. */
const shrinkMax = 1000;

/** So many entries, at some kilobytes each, are read in a few milliseconds. */
const pieceSize = 100;
const fewEntries = 8;

const counterNames = Object.keys(noCounters);

/** Longer than any delivery can wait between its two steps. */
const deliveriesRemembered = 20_000;

export interface AuditDatabase {
  /** Begins the audit of a namespace that keeps so many entries, and its recorder. */
  begin(namespace: NamespaceKey, entriesMax: number): Promise<void>;
  /** Every namespace that has an audit. */
  namespaces(): Promise<readonly NamespaceKey[]>;
  /** Removes the audits and recorders of namespaces that have ended; nothing is appended to them any more. */
  end(namespaces: readonly NamespaceKey[]): Promise<void>;
  /** Adds entries in this order, unless the namespace has ended; only inside a write transaction. */
  append(namespace: NamespaceKey, entries: readonly AuditEntry[]): boolean;
  /** Whether this outbox delivery is new; remembers it. Only inside a write transaction. */
  takeDelivery(delivery: string): boolean;
  read(namespace: NamespaceKey, query: AuditQuery): Promise<readonly AuditEntry[]>;
  pieces(namespace: NamespaceKey, query: AuditQuery): AsyncIterable<readonly AuditEntry[]>;
  counters(namespace: NamespaceKey): Promise<AuditCounters>;
  clear(namespace: NamespaceKey): Promise<void>;
  /** Lets some of the oldest exchanges go, or else entries, of whoever has most; only inside a write transaction. */
  shrink(): void;
}

export function auditDatabase(database: StoreDatabase, exchanges: ExchangeRows, log: ExchangeLog): AuditDatabase {
  const columns = `recorded_at, clock, event_type, username, client_id, ip_address, user_agent, endpoint, method, status,
    details`;
  const insert = database.command(
    `INSERT INTO events (namespace, bytes, ${columns}, request)
     VALUES (@ns, @bytes, @recorded_at, @clock, @event_type, @username, @client_id, @ip_address, @user_agent, @endpoint, @method,
       @status, @details, @request)`,
  );
  const begin = database.command('INSERT OR IGNORE INTO counters (namespace, kept_max) VALUES (@ns, @kept_max)');
  const known = database.query('SELECT namespace FROM counters', z.object({ namespace: z.string() }));
  const count = database.command(
    `UPDATE counters SET kept = kept + @kept, bytes = bytes + @bytes,
       ${counterNames.map((name) => `${name} = ${name} + @${name}`).join(', ')}
     WHERE namespace = @ns`,
  );
  const kept = database.query('SELECT kept, bytes, kept_max FROM counters WHERE namespace = @ns', keptRow);
  const oldest = database.query(
    'SELECT bytes FROM events WHERE namespace = @ns ORDER BY seq LIMIT @limit OFFSET @offset',
    sizeRow,
  );
  const evict = database.command(
    `DELETE FROM events WHERE seq IN (SELECT seq FROM events WHERE namespace = @ns ORDER BY seq LIMIT @surplus)`,
  );
  const lowerKept = database.command(
    'UPDATE counters SET kept = kept - @surplus, bytes = bytes - @bytes WHERE namespace = @ns',
  );
  const remember = database.command('INSERT OR IGNORE INTO deliveries (delivery) VALUES (@delivery)');
  const forgetOld = database.command(
    `DELETE FROM deliveries WHERE seq <= (SELECT max(seq) FROM deliveries) - ${deliveriesRemembered}`,
  );
  const counters = database.query(`SELECT ${counterNames.join(', ')} FROM counters WHERE namespace = @ns`, countersRow);
  const clearEvents = database.command('DELETE FROM events WHERE namespace = @ns');
  const clearCounters = database.command(
    `UPDATE counters SET ${['kept', 'bytes', ...counterNames].map((name) => `${name} = 0`).join(', ')} WHERE namespace = @ns`,
  );
  const clearAll = database.command('DELETE FROM events');
  const hasOthers = database.query(
    'SELECT 1 AS present FROM counters WHERE namespace <> @ns AND kept > 0 LIMIT 1',
    presentRow,
  );
  const largestAudit = database.query(
    'SELECT namespace, kept FROM counters WHERE kept > 0 ORDER BY bytes DESC LIMIT 1',
    z.object({ namespace: z.string(), kept: z.number() }),
  );
  const removeCounters = database.command('DELETE FROM counters WHERE namespace = @ns');
  // A statement without the filters that are not asked for: SQLite then walks only as far as the limit needs.
  const selections = new Map<string, ReturnType<typeof selectionOf>>();
  const selectionOf = (where: string, columns: string) => ({
    newest: database.query(`SELECT ${columns} FROM events WHERE ${where} ORDER BY seq DESC LIMIT @limit`, entryRow),
    ends: database.query(
      `SELECT min(seq) AS first, max(seq) AS last
       FROM (SELECT seq FROM events WHERE ${where} ORDER BY seq DESC LIMIT @limit)`,
      endsRow,
    ),
    piece: database.query(
      `SELECT seq, ${columns} FROM events WHERE ${where} AND seq BETWEEN @first AND @last ORDER BY seq LIMIT @limit`,
      entryRow.extend({ seq: z.number() }),
    ),
  });
  const selection = ({ event_type, username, client_id, limit, withRequests = false }: AuditQuery) => {
    const filters: Record<string, string> = {};
    for (const [name, value] of Object.entries({ event_type, username, client_id })) {
      if (value !== undefined && value !== '') filters[name] = value;
    }
    const where = ['namespace = @ns', ...Object.keys(filters).map((name) => `${name} = @${name}`)].join(' AND ');
    const name = `${withRequests} ${where}`;
    const known = selections.get(name) ?? selectionOf(where, withRequests ? `${columns}, request` : columns);
    selections.set(name, known);
    // SQLite takes a negative limit as none, too.
    return { ...known, filters, limit: limit < 0 ? -1 : Math.min(limit, auditEntriesMax) };
  };

  async function* pieces(ns: NamespaceKey, query: AuditQuery): AsyncGenerator<readonly AuditEntry[]> {
    const { ends, piece, filters, limit } = selection(query);
    const { first: begin, last } = (await database.read(() => ends.get({ ns, ...filters, limit }))) ?? nothing;
    if (begin === null || last === null) return;
    for (let first = begin; first <= last; ) {
      await ownTurn();
      const from = first;
      const rows = await database.read(() => piece.all({ ns, ...filters, first: from, last, limit: pieceSize }));
      yield rows.map(({ seq: _, ...row }) => entryOf(row));
      const end = rows.at(-1)?.seq;
      if (end === undefined || rows.length < pieceSize) return;
      first = end + 1;
    }
  }

  function* oldestSizes(ns: NamespaceKey): Generator<number> {
    // Mostly as few are over as were added.
    for (let [offset, limit] = [0, fewEntries]; ; offset += limit, limit = pieceSize) {
      const rows = oldest.all({ ns, limit, offset });
      for (const { bytes } of rows) yield bytes;
      if (rows.length < limit) return;
    }
  }
  const evictSurplus = (ns: NamespaceKey) => {
    const known = kept.get({ ns });
    if (known === undefined) return;
    const size = { entries: known.kept, bytes: known.bytes };
    const surplus = surplusEntries(size, auditBounds(known.kept_max), () => oldestSizes(ns));
    if (surplus.entries === 0) return;
    evict.run({ ns, surplus: surplus.entries });
    lowerKept.run({ ns, surplus: surplus.entries, bytes: surplus.bytes });
  };

  return {
    begin: (ns, entriesMax) =>
      database.write(() => {
        begin.run({ ns, kept_max: entriesMax });
        exchanges.begin(ns, recorderBounds.sandbox);
      }),
    namespaces: () => database.read(() => known.all({}).map((row) => row.namespace)),
    end: (namespaces) =>
      database.free(() => {
        for (const ns of namespaces) {
          clearEvents.run({ ns });
          removeCounters.run({ ns });
          log.end(ns);
          exchanges.end(ns);
        }
      }),
    append: (ns, entries) => {
      const sizes = entries.map(bytesOfEntry);
      const bytes = sizes.reduce((sum, size) => sum + size, 0);
      if (count.run({ ns, kept: entries.length, bytes, ...countersOf(entries) }) === 0) return false;
      for (const [index, { timestamp, clock, details, request, ...entry }] of entries.entries()) {
        insert.run({
          ns,
          bytes: sizes[index] ?? 0,
          ...entry,
          recorded_at: Date.parse(timestamp),
          clock: clock === null ? null : Date.parse(clock),
          details: JSON.stringify(details),
          request: request === undefined ? null : JSON.stringify(request),
        });
      }
      evictSurplus(ns);
      return true;
    },
    takeDelivery: (delivery) => {
      const isNew = remember.run({ delivery }) === 1;
      if (isNew) forgetOld.run({});
      return isNew;
    },
    read: async (ns, query) => {
      const { newest, filters, limit } = selection(query);
      if (limit < 0 || limit > pieceSize) {
        const entries: AuditEntry[] = [];
        for await (const piece of pieces(ns, query)) entries.push(...piece);
        return entries;
      }
      const rows = await database.read(() => newest.all({ ns, ...filters, limit }));
      return rows.map(entryOf).reverse();
    },
    pieces,
    counters: (ns) => database.read(() => counters.get({ ns }) ?? noCounters),
    clear: (ns) =>
      database.free(() => {
        // Without a condition SQLite drops whole pages unread, which needs next to no log.
        if (hasOthers.get({ ns }) === undefined) clearAll.run({});
        else clearEvents.run({ ns });
        clearCounters.run({ ns });
      }),
    shrink: () => {
      // What was recorded for comfort goes before what was recorded for the record.
      if (log.shrink() || exchanges.shrink()) return;
      const largest = largestAudit.get({});
      if (largest === undefined) return;
      const { namespace: ns, kept: entries } = largest;
      const surplus = Math.min(Math.ceil(entries / 4), shrinkMax);
      const bytes = oldest.all({ ns, limit: surplus, offset: 0 }).reduce((sum, row) => sum + row.bytes, 0);
      evict.run({ ns, surplus });
      lowerKept.run({ ns, surplus, bytes });
    },
  };
}

function entryOf({ recorded_at, clock, request, ...row }: z.output<typeof entryRow>): AuditEntry {
  const timestamp = new Date(recorded_at).toISOString();
  const asked = request === null || request === undefined ? {} : { request };
  return { timestamp, clock: clock === null ? null : new Date(clock).toISOString(), ...row, ...asked };
}
