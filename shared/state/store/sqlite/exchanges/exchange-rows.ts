// Exchanges in the audit database, ready to read: joined into flows, counted where they repeat, bounded for each
// namespace. They come from the log (exchange-log.ts) in the order answered. Synchronous steps for use inside a
// transaction.
import * as z from 'zod';
import { surplusEntries } from '#shared/model/audit/audit-bounds.ts';
import { decodedExchange } from '#shared/model/domain/decoded-exchange.ts';
import { type FlowKeys, repeatedWithinMilliseconds, type StoredExchange } from '#shared/model/domain/exchange.ts';
import { flowToJoin, joinedByAddressMilliseconds, keysCreatedByExchange } from '#shared/model/domain/flow.ts';
import { presentRow } from '../../json-columns.ts';
import type { NamespaceKey } from '../../namespace-id.ts';
import type { RecorderState } from '../../ports/exchanges.ts';
import { columnsOf, emptied } from '../../rows/exchange.ts';
import type { ExchangeToWrite } from '../../waiting-exchanges.ts';
import type { Statements } from '../database.ts';
import { type ExchangeReading, exchangeReading, type PreparingDatabase } from './exchange-reading.ts';

const counterRow = z.object({
  kept: z.number(),
  bytes: z.number(),
  entries_max: z.number(),
  bytes_max: z.number(),
  dropped: z.number(),
  lost: z.number(),
});
const numberRow = z.object({ number: z.number() });
const sizeRow = z.object({ bytes: z.number() });

const sizesAtOnce = 100;
const shrinkMax = 1000;

const statements = (sql: Statements) => ({
  counter: sql.query('SELECT * FROM recorders WHERE namespace = @ns', counterRow),
  count: sql.command(
    `UPDATE recorders SET kept = kept + @kept, bytes = bytes + @bytes, dropped = dropped + @dropped
     WHERE namespace = @ns`,
  ),
  repetition: sql.query(
    `SELECT seq AS number FROM exchanges WHERE namespace = @ns AND repeat_key = @key AND at > @since ORDER BY seq DESC LIMIT 1`,
    numberRow,
  ),
  repeat: sql.command('UPDATE exchanges SET repeated = repeated + @times WHERE seq = @seq'),
  flowOfKey: sql.query('SELECT flow AS number FROM flow_keys WHERE namespace = @ns AND key = @key', numberRow),
  flowOfAddress: sql.query(
    `SELECT seq AS number FROM exchanges WHERE namespace = @ns AND address = @address AND flow IS NULL AND at > @since
     ORDER BY seq DESC LIMIT 1`,
    numberRow,
  ),
  insert: sql.command(
    `INSERT INTO exchanges (namespace, flow, endpoint, at, clock, duration, method, path, status, client_id, username, sp,
       grant_type, decision, reason, refusal, fault, repeated, repeat_key, address, request_id, said, secrets, bytes)
     VALUES (@ns, @flow, @endpoint, @at, @clock, @duration, @method, @path, @status, @client_id, @username, @sp,
       @grant_type, @decision, @reason, @refusal, @fault, @repeated, @repeat_key, @address, @request_id, @said, @secrets, @bytes)`,
  ),
  absorbKeys: sql.command(
    `UPDATE flow_keys SET flow = @flow WHERE namespace = @ns
     AND exchange IN (SELECT seq FROM exchanges WHERE namespace = @ns AND coalesce(flow, seq) = @other)`,
  ),
  absorb: sql.command('UPDATE exchanges SET flow = @flow WHERE namespace = @ns AND coalesce(flow, seq) = @other'),
  // Inserting into a table without row numbers keeps the last row number: that of the exchange.
  insertKey: sql.command(
    `INSERT OR IGNORE INTO flow_keys (namespace, key, flow, exchange)
     VALUES (@ns, @key, coalesce(@flow, last_insert_rowid()), last_insert_rowid())`,
  ),
  oldest: sql.query(
    'SELECT bytes FROM exchanges WHERE namespace = @ns ORDER BY seq LIMIT @limit OFFSET @offset',
    sizeRow,
  ),
  evict: sql.command(
    'DELETE FROM exchanges WHERE seq IN (SELECT seq FROM exchanges WHERE namespace = @ns ORDER BY seq LIMIT @surplus)',
  ),
  evictKeys: sql.command(
    `DELETE FROM flow_keys WHERE namespace = @ns AND exchange < (SELECT min(seq) FROM exchanges WHERE namespace = @ns)`,
  ),
  largest: sql.query(
    'SELECT namespace, kept FROM recorders WHERE kept > 0 ORDER BY bytes DESC LIMIT 1',
    z.object({ namespace: z.string(), kept: z.number() }),
  ),
  begin: sql.command(
    'INSERT OR IGNORE INTO recorders (namespace, entries_max, bytes_max) VALUES (@ns, @entries_max, @bytes_max)',
  ),
  clear: sql.command('DELETE FROM exchanges WHERE namespace = @ns'),
  clearKeys: sql.command('DELETE FROM flow_keys WHERE namespace = @ns'),
  remember: sql.command(
    'INSERT OR IGNORE INTO flow_keys (namespace, key, flow, exchange) VALUES (@ns, @key, @flow, @exchange)',
  ),
  wasCleared: sql.query('SELECT 1 AS present FROM flow_keys WHERE namespace = @ns AND key = @key', presentRow),
  clearCounter: sql.command('UPDATE recorders SET kept = 0, bytes = 0, dropped = 0, lost = 0 WHERE namespace = @ns'),
  end: sql.command('DELETE FROM recorders WHERE namespace = @ns'),
  endWaits: sql.command('DELETE FROM exchange_waits WHERE namespace = @ns'),
});

export interface ExchangeRows extends ExchangeReading {
  begin(ns: NamespaceKey, bounds: { readonly entries: number; readonly bytes: number }): void;
  /** Records that a reset deleted exchanges. */
  noteReset(ns: NamespaceKey): void;
  end(ns: NamespaceKey): void;
  /** Inside a write transaction. Exchanges of a namespace that has ended are skipped. */
  append(ns: NamespaceKey, exchanges: readonly ExchangeToWrite[]): void;
  clear(ns: NamespaceKey): number;
  /** Evicts some of the oldest exchanges of the largest recorder. False: it has none to evict. */
  shrink(): boolean;
  state(ns: NamespaceKey): RecorderState;
  /** Considers only written exchanges. */
  isWhole(ns: NamespaceKey): boolean;
}

export function exchangeRows(database: PreparingDatabase): ExchangeRows {
  const sql = database.prepared(statements);

  const flowsOf = (ns: NamespaceKey, keys: readonly string[]) =>
    keys.flatMap((key) => sql.flowOfKey.get({ ns, key })?.number ?? []);

  const flowOf = (ns: NamespaceKey, exchange: StoredExchange, keys: FlowKeys) => {
    const made = flowsOf(ns, keysCreatedByExchange({ fault: exchange.fault, keys }));
    const { flow, absorbed } = flowToJoin(flowsOf(ns, keys.named), made);
    for (const each of absorbed) for (const absorb of [sql.absorbKeys, sql.absorb]) absorb.run({ ns, ...each });
    if (flow !== undefined || exchange.repeatKey === undefined || exchange.address === undefined) return flow;
    const since = exchange.at - joinedByAddressMilliseconds;
    return sql.flowOfAddress.get({ ns, address: exchange.address, since })?.number;
  };

  /** Returns the bytes of the exchange. undefined: it only repeats another one. */
  const write = (ns: NamespaceKey, { exchange, times }: ExchangeToWrite): number | undefined => {
    const { repeatKey, at } = exchange;
    if (repeatKey !== undefined) {
      const first = sql.repetition.get({ ns, key: repeatKey, since: at - repeatedWithinMilliseconds });
      if (first !== undefined) {
        sql.repeat.run({ seq: first.number, times });
        return undefined;
      }
    }
    const { content, keys } = decodedExchange(exchange);
    const flow = flowOf(ns, exchange, keys) ?? null;
    const columns = columnsOf(exchange, content);
    sql.insert.run({ ns, flow, repeated: times, ...columns });
    for (const key of keys.named) sql.insertKey.run({ ns, key, flow });
    for (const key of keys.made) sql.insertKey.run({ ns, key, flow });
    return columns.bytes;
  };

  function* oldestSizes(ns: NamespaceKey): Generator<number> {
    for (let offset = 0; ; offset += sizesAtOnce) {
      const rows = sql.oldest.all({ ns, limit: sizesAtOnce, offset });
      for (const { bytes } of rows) yield bytes;
      if (rows.length < sizesAtOnce) return;
    }
  }

  const evict = (ns: NamespaceKey, entries: number, bytes: number) => {
    sql.evict.run({ ns, surplus: entries });
    sql.evictKeys.run({ ns });
    sql.count.run({ ns, kept: -entries, bytes: -bytes, dropped: entries });
  };

  const isCleared = (ns: NamespaceKey) => sql.wasCleared.get({ ns, key: emptied.key }) !== undefined;

  const evictSurplus = (ns: NamespaceKey) => {
    const counter = sql.counter.get({ ns });
    if (counter === undefined) return;
    const size = { entries: counter.kept, bytes: counter.bytes };
    const bounds = { entries: counter.entries_max, bytes: counter.bytes_max };
    const surplus = surplusEntries(size, bounds, () => oldestSizes(ns));
    if (surplus.entries > 0) evict(ns, surplus.entries, surplus.bytes);
  };

  return {
    ...exchangeReading(database),
    begin: (ns, { entries, bytes }) => {
      sql.begin.run({ ns, entries_max: entries, bytes_max: bytes });
    },
    noteReset: (ns) => {
      sql.remember.run({ ns, ...emptied });
    },
    end: (ns) => {
      for (const removal of [sql.clear, sql.clearKeys, sql.end, sql.endWaits]) removal.run({ ns });
    },
    append: (ns, exchanges) => {
      if (sql.counter.get({ ns }) === undefined) return;
      const sizes = exchanges.flatMap((exchange) => write(ns, exchange) ?? []);
      if (sizes.length === 0) return;
      const bytes = sizes.reduce((sum, size) => sum + size, 0);
      sql.count.run({ ns, kept: sizes.length, bytes, dropped: 0 });
      evictSurplus(ns);
    },
    clear: (ns) => {
      const { kept = 0 } = sql.counter.get({ ns }) ?? {};
      const wasCleared = isCleared(ns);
      sql.clear.run({ ns });
      sql.clearKeys.run({ ns });
      sql.clearCounter.run({ ns });
      if (kept > 0 || wasCleared) sql.remember.run({ ns, ...emptied });
      return kept;
    },
    shrink: () => {
      const largest = sql.largest.get({});
      if (largest === undefined) return false;
      const { namespace: ns, kept } = largest;
      const sizes = sql.oldest.all({ ns, limit: Math.min(Math.ceil(kept / 4), shrinkMax), offset: 0 });
      evict(
        ns,
        sizes.length,
        sizes.reduce((sum, { bytes }) => sum + bytes, 0),
      );
      return true;
    },
    state: (ns) => {
      const { kept = 0, entries_max = 0, dropped = 0, lost = 0 } = sql.counter.get({ ns }) ?? {};
      return { kept, bound: entries_max, dropped, lost };
    },
    isWhole: (ns) => {
      const { dropped = 0, lost = 0 } = sql.counter.get({ ns }) ?? {};
      return dropped === 0 && lost === 0 && !isCleared(ns);
    },
  };
}
