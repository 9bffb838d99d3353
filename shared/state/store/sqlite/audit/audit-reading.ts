// Reads the entries of an audit by the filters and limit of a query, at once or in pieces. Entries that briefly exceed
// the bound (audit-database.ts) are not returned.
import * as z from 'zod';
import { yieldAlone } from '#shared/base/scheduling/event-loop-turns.ts';
import { auditEntriesMax } from '#shared/model/audit/audit-bounds.ts';
import type { AuditEntry } from '#shared/model/audit/audit-event.ts';
import { auditedRequestShape, detailsShape, encoded } from '../../json-columns.ts';
import type { NamespaceKey } from '../../namespace-id.ts';
import type { AuditQuery } from '../../ports/audit.ts';
import { entryMembers } from '../../rows/audit-entry.ts';
import type { StoreDatabase } from '../database.ts';

const entryShape = z.object({
  timestamp: z.string(),
  clock: z.string().nullable(),
  ...entryMembers,
  details: detailsShape,
});
const entryAlone = encoded(entryShape);
const entryWithRequest = encoded(entryShape.extend({ request: auditedRequestShape.optional() }));

const endsRow = z.object({ first: z.number().nullable(), last: z.number().nullable() });
const nothing: z.output<typeof endsRow> = { first: null, last: null };

/** 100 entries of some kilobytes are read in a few milliseconds. */
const pieceSize = 100;

export interface AuditReading {
  read(namespace: NamespaceKey, query: AuditQuery): Promise<readonly AuditEntry[]>;
  pieces(namespace: NamespaceKey, query: AuditQuery): AsyncIterable<readonly AuditEntry[]>;
}

export function auditReading(database: StoreDatabase): AuditReading {
  // A statement without the unused filters: SQLite then scans only as far as the limit needs.
  const selections = new Map<string, ReturnType<typeof selectionOf>>();
  const selectionOf = (filtered: string, entry: z.ZodType<AuditEntry>) => {
    const where = `seq > (SELECT last_seq - min(kept, kept_max) FROM counters WHERE namespace = @ns)
      AND seq <= (SELECT last_seq FROM counters WHERE namespace = @ns) ${filtered}`;
    return {
      newest: database.query(
        `SELECT entry FROM events WHERE ${where} ORDER BY seq DESC LIMIT @limit`,
        z.object({ entry }),
      ),
      ends: database.query(
        `SELECT min(seq) AS first, max(seq) AS last
         FROM (SELECT seq FROM events WHERE ${where} ORDER BY seq DESC LIMIT @limit)`,
        endsRow,
      ),
      piece: database.query(
        `SELECT seq, entry FROM events WHERE seq BETWEEN @first AND @last AND namespace = @ns ${filtered}
         ORDER BY seq LIMIT @limit`,
        z.object({ seq: z.number(), entry }),
      ),
    };
  };
  const selection = ({ event_type, username, client_id, limit, withRequests = false }: AuditQuery) => {
    const filters: Record<string, string> = {};
    for (const [name, value] of Object.entries({ event_type, username, client_id })) {
      if (value !== undefined && value !== '') filters[name] = value;
    }
    const filtered = Object.keys(filters)
      .map((name) => `AND ${name} = @${name}`)
      .join(' ');
    const name = `${withRequests} ${filtered}`;
    const known = selections.get(name) ?? selectionOf(filtered, withRequests ? entryWithRequest : entryAlone);
    selections.set(name, known);
    // SQLite also treats a negative limit as none.
    return { ...known, filters, limit: limit < 0 ? -1 : Math.min(limit, auditEntriesMax) };
  };

  async function* pieces(ns: NamespaceKey, query: AuditQuery): AsyncGenerator<readonly AuditEntry[]> {
    const { ends, piece, filters, limit } = selection(query);
    const { first: begin, last } = (await database.read(() => ends.get({ ns, ...filters, limit }))) ?? nothing;
    if (begin === null || last === null) return;
    for (let first = begin; first <= last; ) {
      await yieldAlone();
      const from = first;
      const rows = await database.read(() => piece.all({ ns, ...filters, first: from, last, limit: pieceSize }));
      yield rows.map(({ entry }) => entry);
      const end = rows.at(-1)?.seq;
      if (end === undefined || rows.length < pieceSize) return;
      first = end + 1;
    }
  }

  return {
    read: async (ns, query) => {
      const { newest, filters, limit } = selection(query);
      if (limit < 0 || limit > pieceSize) {
        const entries: AuditEntry[] = [];
        for await (const piece of pieces(ns, query)) entries.push(...piece);
        return entries;
      }
      const rows = await database.read(() => newest.all({ ns, ...filters, limit }));
      return rows.map(({ entry }) => entry).reverse();
    },
    pieces,
  };
}
