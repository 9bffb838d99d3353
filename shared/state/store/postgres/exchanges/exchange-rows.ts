// Exchanges in the database: written in its transactions, in the order recorded, bounded for each namespace. Steps for
// use inside a transaction. exchange-buffer.ts decides when they run.
import * as z from 'zod';
import type { Instant } from '#shared/base/clock.ts';
import { surplusEntries } from '#shared/model/audit/audit-bounds.ts';
import type { KeptExchange } from '#shared/model/domain/exchange.ts';
import type { FlowStep } from '#shared/model/domain/flow.ts';
import { presentRow } from '../../json-columns.ts';
import type { NamespaceKey } from '../../namespace-id.ts';
import type {
  CountedExchange,
  ExchangeFilter,
  ExchangeIndex,
  ExchangePage,
  RecorderState,
} from '../../ports/exchanges.ts';
import {
  countedOf,
  countedRow,
  emptied,
  exchangeColumns,
  exchangeOf,
  exchangeRow,
  flowsOf,
  indexRow,
  inOrderOf,
  secretsIn,
  secretsRow,
  selectionOf,
  stepColumns,
  stepRow,
} from '../../rows/exchange.ts';
import type { ExchangeToWrite } from '../../waiting-exchanges.ts';
import { command, type Query, query, type Runner, type Writer } from '../statement.ts';
import { byRequestTime } from './by-request-time.ts';
import { readKnown, writeBatch } from './write-batch.ts';

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

const sql = {
  counter: query('SELECT * FROM recorders WHERE namespace = @ns', counterRow),
  count: command(
    `UPDATE recorders SET kept = kept + @kept, bytes = bytes + @bytes, dropped = dropped + @dropped, lost = lost + @lost
     WHERE namespace = @ns`,
  ),
  oldest: query(
    'SELECT bytes FROM exchanges WHERE namespace = @ns ORDER BY seq LIMIT nullif(@limit::bigint, -1)',
    sizeRow,
  ),
  evict: command(
    'DELETE FROM exchanges WHERE seq IN (SELECT seq FROM exchanges WHERE namespace = @ns ORDER BY seq LIMIT @surplus)',
  ),
  evictKeys: command(
    `DELETE FROM flow_keys WHERE namespace = @ns AND exchange < (SELECT min(seq) FROM exchanges WHERE namespace = @ns)`,
  ),
  find: query(`SELECT ${exchangeColumns} FROM exchanges WHERE namespace = @ns AND seq = @seq`, exchangeRow),
  arrivals: query(
    `SELECT ${stepColumns}, repeated FROM exchanges WHERE namespace = @ns AND seq > @after ORDER BY seq`,
    countedRow,
  ),
  these: query(
    `SELECT ${exchangeColumns} FROM exchanges WHERE namespace = @ns
     AND seq = ANY (ARRAY(SELECT json_array_elements_text(@ids::json)::bigint))`,
    exchangeRow,
  ),
  secrets: query('SELECT secrets FROM exchanges WHERE namespace = @ns AND seq = @seq', secretsRow),
  newest: query('SELECT coalesce(max(seq), 0) AS number FROM exchanges WHERE namespace = @ns', numberRow),
  flows: query(
    `SELECT DISTINCT coalesce(flow, seq) AS number FROM exchanges
     WHERE namespace = @ns AND coalesce(flow, seq) < @before ORDER BY coalesce(flow, seq) DESC LIMIT @limit`,
    numberRow,
  ),
  steps: query(
    `SELECT ${stepColumns} FROM exchanges
     WHERE namespace = @ns AND coalesce(flow, seq) >= @from AND coalesce(flow, seq) < @before ORDER BY seq`,
    stepRow,
  ),
  begin: command(
    `INSERT INTO recorders (namespace, entries_max, bytes_max) VALUES (@ns, @entries_max, @bytes_max)
     ON CONFLICT DO NOTHING`,
  ),
  clear: command('DELETE FROM exchanges WHERE namespace = @ns'),
  clearKeys: command('DELETE FROM flow_keys WHERE namespace = @ns'),
  remember: command(
    `INSERT INTO flow_keys (namespace, key, flow, exchange) VALUES (@ns, @key, @flow, @exchange) ON CONFLICT DO NOTHING`,
  ),
  wasCleared: query('SELECT 1 AS present FROM flow_keys WHERE namespace = @ns AND key = @key', presentRow),
  clearCounter: command('UPDATE recorders SET kept = 0, bytes = 0, dropped = 0, lost = 0 WHERE namespace = @ns'),
};

export interface ExchangeRows {
  /** Inside a write transaction. Exchanges of a namespace that has ended are skipped. */
  append(on: Writer, ns: NamespaceKey, exchanges: readonly ExchangeToWrite[], lost: number): Promise<void>;
  /** Exchanges answered until `at` are no longer added. */
  clear(on: Runner, ns: NamespaceKey, at: Instant): Promise<number>;
  list(on: Runner, ns: NamespaceKey, filter: ExchangeFilter, limit: number): Promise<ExchangePage>;
  index(on: Runner, ns: NamespaceKey, filter: ExchangeFilter, limit: number): Promise<ExchangeIndex>;
  ofIndex(on: Runner, ns: NamespaceKey, ids: readonly number[]): Promise<readonly KeptExchange[]>;
  newest(on: Runner, ns: NamespaceKey): Promise<number>;
  arrivals(on: Runner, ns: NamespaceKey, after: number): Promise<readonly CountedExchange[]>;
  count(on: Runner, ns: NamespaceKey, filter: ExchangeFilter): Promise<number>;
  find(on: Runner, ns: NamespaceKey, seq: number): Promise<KeptExchange | undefined>;
  secrets(on: Runner, ns: NamespaceKey, seq: number): Promise<Readonly<Record<string, string>> | undefined>;
  flows(
    on: Runner,
    ns: NamespaceKey,
    before: number,
    limit: number,
  ): Promise<readonly (readonly [FlowStep, ...FlowStep[]])[]>;
  state(on: Runner, ns: NamespaceKey): Promise<RecorderState>;
  /** Considers only written exchanges. */
  isWhole(on: Runner, ns: NamespaceKey): Promise<boolean>;
}

interface Listing {
  readonly newest: Query<z.output<typeof exchangeRow>>;
  readonly index: Query<z.output<typeof indexRow>>;
  readonly count: Query<z.output<typeof numberRow>>;
}

export function exchangeRows(): ExchangeRows {
  const lists = new Map<string, Listing>();

  const evict = (on: Writer, ns: NamespaceKey, entries: number, bytes: number) => {
    sql.evict.put(on, { ns, surplus: entries });
    sql.evictKeys.put(on, { ns });
    sql.count.put(on, { ns, kept: -entries, bytes: -bytes, dropped: entries, lost: 0 });
  };

  const isCleared = async (on: Runner, ns: NamespaceKey) =>
    (await sql.wasCleared.get(on, { ns, key: emptied.key })) !== undefined;

  const evictSurplus = async (on: Writer, ns: NamespaceKey, counter: z.output<typeof counterRow>) => {
    const size = { entries: counter.kept, bytes: counter.bytes };
    const bounds = { entries: counter.entries_max, bytes: counter.bytes_max };
    if (size.entries <= bounds.entries && size.bytes <= bounds.bytes) return;
    const limit = size.bytes > bounds.bytes ? -1 : size.entries - bounds.entries;
    const sizes = (await sql.oldest.all(on, { ns, limit })).map(({ bytes }) => bytes);
    const surplus = surplusEntries(size, bounds, () => sizes.values());
    if (surplus.entries > 0) evict(on, ns, surplus.entries, surplus.bytes);
  };

  const listing = (where: string) => {
    const known = lists.get(where);
    if (known !== undefined) return known;
    const made = {
      newest: query(
        `SELECT ${exchangeColumns} FROM exchanges WHERE ${where} AND seq <= @cursor ORDER BY seq DESC LIMIT nullif(@limit::bigint, -1)`,
        exchangeRow,
      ),
      index: query(
        `SELECT seq, at FROM exchanges WHERE ${where} AND seq <= @cursor ORDER BY seq DESC LIMIT nullif(@limit::bigint, -1)`,
        indexRow,
      ),
      count: query(`SELECT coalesce(sum(repeated), 0)::bigint AS number FROM exchanges WHERE ${where}`, numberRow),
    };
    lists.set(where, made);
    return made;
  };

  return {
    append: async (on, ns, exchanges, lost) => {
      const [counter, known] = await Promise.all([sql.counter.get(on, { ns }), readKnown(on, ns, exchanges)]);
      if (counter === undefined) return;
      const { kept, bytes } = writeBatch(on, ns, exchanges, known);
      sql.count.put(on, { ns, kept, bytes, dropped: 0, lost });
      // The lock of the recorder prevents other counts meanwhile.
      const after = { ...counter, kept: counter.kept + kept, bytes: counter.bytes + bytes };
      if (kept > 0) await evictSurplus(on, ns, after);
    },
    clear: async (on, ns, at) => {
      const { kept = 0 } = (await sql.counter.get(on, { ns })) ?? {};
      const wasCleared = await isCleared(on, ns);
      await sql.clear.run(on, { ns });
      await sql.clearKeys.run(on, { ns });
      await sql.clearCounter.run(on, { ns });
      if (kept > 0 || wasCleared) await sql.remember.run(on, { ns, ...emptied, flow: at });
      return kept;
    },
    list: async (on, ns, filter, limit) => {
      const { where, bindings } = selectionOf(filter);
      // The cursor first: an exchange committed between the two statements is after it and appears in the next list.
      const cursor = (await sql.newest.get(on, { ns }))?.number ?? 0;
      const rows = await listing(where).newest.all(on, { ns, ...bindings, limit, cursor });
      return { exchanges: byRequestTime(rows.map(exchangeOf).reverse()), cursor };
    },
    index: async (on, ns, filter, limit) => {
      const { where, bindings } = selectionOf(filter);
      const cursor = (await sql.newest.get(on, { ns }))?.number ?? 0;
      const rows = await listing(where).index.all(on, { ns, ...bindings, limit, cursor });
      return { entries: byRequestTime(rows.map(({ seq, at }) => ({ id: seq, at })).reverse()), cursor };
    },
    ofIndex: async (on, ns, ids) => inOrderOf(ids, await sql.these.all(on, { ns, ids: JSON.stringify(ids) })),
    newest: async (on, ns) => (await sql.newest.get(on, { ns }))?.number ?? 0,
    arrivals: async (on, ns, after) => (await sql.arrivals.all(on, { ns, after })).map(countedOf),
    count: async (on, ns, filter) => {
      const { where, bindings } = selectionOf(filter);
      return (await listing(where).count.get(on, { ns, ...bindings }))?.number ?? 0;
    },
    find: async (on, ns, seq) => {
      const row = await sql.find.get(on, { ns, seq });
      return row && exchangeOf(row);
    },
    secrets: async (on, ns, seq) => {
      return secretsIn(await sql.secrets.get(on, { ns, seq }));
    },
    flows: async (on, ns, before, limit) => {
      const numbers = (await sql.flows.all(on, { ns, before, limit })).map(({ number }) => number);
      const from = numbers.at(-1);
      if (from === undefined) return [];
      return flowsOf(numbers, byRequestTime(await sql.steps.all(on, { ns, from, before })));
    },
    state: async (on, ns) => {
      const { kept = 0, entries_max = 0, dropped = 0, lost = 0 } = (await sql.counter.get(on, { ns })) ?? {};
      return { kept, bound: entries_max, dropped, lost };
    },
    isWhole: async (on, ns) => {
      const { dropped = 0, lost = 0 } = (await sql.counter.get(on, { ns })) ?? {};
      return dropped === 0 && lost === 0 && !(await isCleared(on, ns));
    },
  };
}

/** Records that a reset deleted exchanges. */
export async function noteReset(on: Runner, ns: NamespaceKey): Promise<void> {
  await sql.remember.run(on, { ns, ...emptied });
}

/** Inside a transaction: begins the recorder of a namespace with these bounds. */
export async function beginRecorder(
  on: Runner,
  ns: NamespaceKey,
  { entries, bytes }: { readonly entries: number; readonly bytes: number },
): Promise<void> {
  await sql.begin.run(on, { ns, entries_max: entries, bytes_max: bytes });
}
