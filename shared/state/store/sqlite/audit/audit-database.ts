// The audit of each namespace in SQLite: bounded entries in the order committed, with counters that eviction never
// decreases (AUD-02, AUD-05, AUD-06). Synchronous steps for use inside a transaction. audit-recorder.ts decides when
// they run.
import * as z from 'zod';
import { auditBounds, surplusEntries } from '#shared/model/audit/audit-bounds.ts';
import { countersOf, noCounters } from '#shared/model/audit/audit-entry.ts';
import type { AuditCounters, AuditEntry } from '#shared/model/audit/audit-event.ts';
import { recorderBounds } from '#shared/model/domain/exchange.ts';
import { presentRow } from '../../json-columns.ts';
import type { NamespaceKey } from '../../namespace-id.ts';
import { countersRow } from '../../rows/audit-counters.ts';
import type { StoreDatabase } from '../database.ts';
import type { ExchangeLog } from '../exchanges/exchange-log.ts';
import type { ExchangeRows } from '../exchanges/exchange-rows.ts';
import { type AuditReading, auditReading } from './audit-reading.ts';

const keptRow = z.object({ last_seq: z.number(), kept: z.number(), bytes: z.number(), kept_max: z.number() });
type Kept = z.output<typeof keptRow>;
const sizeRow = z.object({ bytes: z.number() });

/** When no space is left a quarter is evicted at once, and at most this many. */
const shrinkMax = 1000;

/** How many hidden entries may exceed the bound before eviction: so only one commit in many deletes. */
const surplusMax = 64;

const sizesAtOnce = 100;

/** How many events a namespace can have before its numbers would reach those of the next one. */
const numbersOfNamespace = 2 ** 32;

const counterNames = Object.keys(noCounters);

/** Longer than any delivery can wait between its two steps. */
const deliveriesRemembered = 20_000;

export interface AuditDatabase extends AuditReading {
  /** Begins the audit of a namespace with this bound, and its recorder. */
  begin(namespace: NamespaceKey, entriesMax: number): Promise<void>;
  /**
   * Does the same for a namespace that replaces an earlier one of the same key (a reset), and deletes the earlier
   * audit.
   */
  beginAnew(namespace: NamespaceKey, entriesMax: number): Promise<void>;
  /** Returns every namespace that has an audit. */
  namespaces(): Promise<readonly NamespaceKey[]>;
  /** Deletes the audits and recorders of namespaces that have ended. Nothing is appended to them any more. */
  end(namespaces: readonly NamespaceKey[]): Promise<void>;
  /** Adds entries in this order, unless the namespace has ended. Only inside a write transaction. */
  append(namespace: NamespaceKey, entries: readonly AuditEntry[]): boolean;
  /** Returns whether this outbox delivery is new, and stores it. Only inside a write transaction. */
  takeDelivery(delivery: string): boolean;
  counters(namespace: NamespaceKey): Promise<AuditCounters>;
  clear(namespace: NamespaceKey): Promise<void>;
  /**
   * Evicts some of the oldest exchanges, or else entries, of the namespace with the most. Only inside a write
   * transaction.
   */
  shrink(): void;
}

export function auditDatabase(database: StoreDatabase, exchanges: ExchangeRows, log: ExchangeLog): AuditDatabase {
  const insert = database.command(
    `INSERT INTO events (seq, namespace, event_type, username, client_id, bytes, entry)
     VALUES (@seq, @ns, @event_type, @username, @client_id, @bytes, @entry)`,
  );
  // The namespace gets the first unused span of numbers.
  const begin = database.command(
    `INSERT OR IGNORE INTO counters (namespace, kept_max, last_seq)
     SELECT @ns, @kept_max, min(span) * ${numbersOfNamespace}
     FROM (SELECT last_seq / ${numbersOfNamespace} + 1 AS span FROM counters)
     WHERE span NOT IN (SELECT last_seq / ${numbersOfNamespace} FROM counters)`,
  );
  const known = database.query('SELECT namespace FROM counters', z.object({ namespace: z.string() }));
  const count = database.query(
    `UPDATE counters SET last_seq = last_seq + @kept, kept = kept + @kept, bytes = bytes + @bytes,
       ${counterNames.map((name) => `${name} = ${name} + @${name}`).join(', ')}
     WHERE namespace = @ns RETURNING last_seq, kept, bytes, kept_max`,
    keptRow,
  );
  const sizes = database.query('SELECT bytes FROM events WHERE seq BETWEEN @first AND @last ORDER BY seq', sizeRow);
  const evict = database.command('DELETE FROM events WHERE seq BETWEEN @first AND @last');
  const lowerKept = database.command(
    'UPDATE counters SET kept = kept - @surplus, bytes = bytes - @bytes WHERE namespace = @ns',
  );
  const remember = database.command('INSERT OR IGNORE INTO deliveries (delivery) VALUES (@delivery)');
  const forgetOld = database.command(
    `DELETE FROM deliveries WHERE seq <= (SELECT max(seq) FROM deliveries) - ${deliveriesRemembered}`,
  );
  const counters = database.query(`SELECT ${counterNames.join(', ')} FROM counters WHERE namespace = @ns`, countersRow);
  const clearEvents = database.command(
    `DELETE FROM events WHERE seq > (SELECT last_seq - kept FROM counters WHERE namespace = @ns)
       AND seq <= (SELECT last_seq FROM counters WHERE namespace = @ns)`,
  );
  const clearCounters = database.command(
    `UPDATE counters SET ${['kept', 'bytes', ...counterNames].map((name) => `${name} = 0`).join(', ')} WHERE namespace = @ns`,
  );
  const clearAll = database.command('DELETE FROM events');
  const hasOthers = database.query(
    'SELECT 1 AS present FROM counters WHERE namespace <> @ns AND kept > 0 LIMIT 1',
    presentRow,
  );
  const largestAudit = database.query(
    'SELECT namespace, last_seq, kept, bytes, kept_max FROM counters WHERE kept > 0 ORDER BY bytes DESC LIMIT 1',
    keptRow.extend({ namespace: z.string() }),
  );
  const removeCounters = database.command('DELETE FROM counters WHERE namespace = @ns');

  function* oldestSizes({ last_seq, kept }: Kept): Generator<number> {
    for (let first = last_seq - kept + 1; first <= last_seq; first += sizesAtOnce) {
      const last = Math.min(first + sizesAtOnce - 1, last_seq);
      for (const { bytes } of sizes.all({ first, last })) yield bytes;
    }
  }
  const letGo = (ns: NamespaceKey, kept: Kept, surplus: { readonly entries: number; readonly bytes: number }) => {
    if (surplus.entries === 0) return;
    const first = kept.last_seq - kept.kept + 1;
    evict.run({ first, last: first + surplus.entries - 1 });
    lowerKept.run({ ns, surplus: surplus.entries, bytes: surplus.bytes });
  };
  const evictSurplus = (ns: NamespaceKey, kept: Kept) => {
    const bounds = auditBounds(kept.kept_max);
    if (kept.kept <= bounds.entries + surplusMax && kept.bytes <= bounds.bytes) return;
    const size = { entries: kept.kept, bytes: kept.bytes };
    letGo(
      ns,
      kept,
      surplusEntries(size, bounds, () => oldestSizes(kept)),
    );
  };

  const beginInside = (ns: NamespaceKey, entriesMax: number) => {
    begin.run({ ns, kept_max: entriesMax });
    exchanges.begin(ns, recorderBounds.sandbox);
  };

  return {
    ...auditReading(database),
    begin: (ns, entriesMax) => database.write(() => beginInside(ns, entriesMax)),
    beginAnew: (ns, entriesMax) =>
      database.write(() => {
        beginInside(ns, entriesMax);
        exchanges.noteReset(ns);
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
      const texts = entries.map((entry) => JSON.stringify(entry));
      const bytes = texts.map((text) => Buffer.byteLength(text));
      const sum = bytes.reduce((one, other) => one + other, 0);
      const kept = count.get({ ns, kept: entries.length, bytes: sum, ...countersOf(entries) });
      if (kept === undefined) return false;
      const before = kept.last_seq - entries.length;
      for (const [index, { event_type, username, client_id }] of entries.entries()) {
        const [entry, size] = [texts[index] ?? '', bytes[index] ?? 0];
        insert.run({ ns, seq: before + 1 + index, event_type, username, client_id, bytes: size, entry });
      }
      evictSurplus(ns, kept);
      return true;
    },
    takeDelivery: (delivery) => {
      const isNew = remember.run({ delivery }) === 1;
      if (isNew) forgetOld.run({});
      return isNew;
    },
    counters: (ns) => database.read(() => counters.get({ ns }) ?? noCounters),
    clear: (ns) =>
      database.free(() => {
        // Without a condition SQLite drops whole pages unread, which needs almost no log.
        if (hasOthers.get({ ns }) === undefined) clearAll.run({});
        else clearEvents.run({ ns });
        clearCounters.run({ ns });
      }),
    shrink: () => {
      // Exchanges are a convenience, so they are evicted before audit entries.
      if (log.shrink() || exchanges.shrink()) return;
      const largest = largestAudit.get({});
      if (largest === undefined) return;
      const { namespace: ns, ...kept } = largest;
      let [entries, bytes] = [0, 0];
      const most = Math.min(Math.ceil(kept.kept / 4), shrinkMax);
      for (const size of oldestSizes(kept)) {
        if (entries === most) break;
        entries += 1;
        bytes += size;
      }
      letGo(ns, kept, { entries, bytes });
    },
  };
}
