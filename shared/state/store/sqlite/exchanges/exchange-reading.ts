// Reads exchanges by a filter, newest last, or as the steps of flows, newest first.
import * as z from 'zod';
import type { KeptExchange } from '#shared/model/domain/exchange.ts';
import type { FlowStep } from '#shared/model/domain/flow.ts';
import type { NamespaceKey } from '../../namespace-id.ts';
import type { CountedExchange, ExchangeFilter, ExchangeIndex, ExchangePage } from '../../ports/exchanges.ts';
import {
  countedOf,
  countedRow,
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
import type { Query, Statements } from '../database.ts';

const numberRow = z.object({ number: z.number() });

const statements = (sql: Statements) => ({
  find: sql.query(`SELECT ${exchangeColumns} FROM exchanges WHERE namespace = @ns AND seq = @seq`, exchangeRow),
  arrivals: sql.query(
    `SELECT ${stepColumns}, repeated FROM exchanges WHERE namespace = @ns AND seq > @after ORDER BY seq`,
    countedRow,
  ),
  these: sql.query(
    `SELECT ${exchangeColumns} FROM exchanges WHERE namespace = @ns AND seq IN (SELECT value FROM json_each(@ids))`,
    exchangeRow,
  ),
  secrets: sql.query('SELECT secrets FROM exchanges WHERE namespace = @ns AND seq = @seq', secretsRow),
  newest: sql.query('SELECT coalesce(max(seq), 0) AS number FROM exchanges WHERE namespace = @ns', numberRow),
  flows: sql.query(
    `SELECT DISTINCT coalesce(flow, seq) AS number FROM exchanges
     WHERE namespace = @ns AND coalesce(flow, seq) < @before ORDER BY coalesce(flow, seq) DESC LIMIT @limit`,
    numberRow,
  ),
  steps: sql.query(
    `SELECT ${stepColumns} FROM exchanges
     WHERE namespace = @ns AND coalesce(flow, seq) >= @from AND coalesce(flow, seq) < @before ORDER BY +seq`,
    stepRow,
  ),
});

export type PreparingDatabase = { prepared<Made>(make: (sql: Statements) => Made): Made } & Statements;

export interface ExchangeReading {
  list(ns: NamespaceKey, filter: ExchangeFilter, limit: number): ExchangePage;
  index(ns: NamespaceKey, filter: ExchangeFilter, limit: number): ExchangeIndex;
  ofIndex(ns: NamespaceKey, ids: readonly number[]): readonly KeptExchange[];
  newest(ns: NamespaceKey): number;
  arrivals(ns: NamespaceKey, after: number): readonly CountedExchange[];
  count(ns: NamespaceKey, filter: ExchangeFilter): number;
  find(ns: NamespaceKey, seq: number): KeptExchange | undefined;
  secrets(ns: NamespaceKey, seq: number): Readonly<Record<string, string>> | undefined;
  flows(ns: NamespaceKey, before: number, limit: number): readonly (readonly [FlowStep, ...FlowStep[]])[];
}

interface Listing {
  readonly newest: Query<z.output<typeof exchangeRow>>;
  readonly index: Query<z.output<typeof indexRow>>;
  readonly count: Query<z.output<typeof numberRow>>;
}

export function exchangeReading(database: PreparingDatabase): ExchangeReading {
  const sql = database.prepared(statements);
  const lists = new Map<string, Listing>();

  const listing = (where: string) => {
    const known = lists.get(where);
    if (known !== undefined) return known;
    const made = {
      newest: database.query(
        `SELECT ${exchangeColumns} FROM exchanges WHERE ${where} ORDER BY seq DESC LIMIT @limit`,
        exchangeRow,
      ),
      index: database.query(`SELECT seq, at FROM exchanges WHERE ${where} ORDER BY seq DESC LIMIT @limit`, indexRow),
      count: database.query(`SELECT coalesce(sum(repeated), 0) AS number FROM exchanges WHERE ${where}`, numberRow),
    };
    lists.set(where, made);
    return made;
  };

  return {
    list: (ns, filter, limit) => {
      const { where, bindings } = selectionOf(filter);
      const rows = listing(where).newest.all({ ns, ...bindings, limit });
      return { exchanges: rows.map(exchangeOf).reverse(), cursor: sql.newest.get({ ns })?.number ?? 0 };
    },
    index: (ns, filter, limit) => {
      const { where, bindings } = selectionOf(filter);
      const rows = listing(where).index.all({ ns, ...bindings, limit });
      const entries = rows.map(({ seq, at }) => ({ id: seq, at })).reverse();
      return { entries, cursor: sql.newest.get({ ns })?.number ?? 0 };
    },
    ofIndex: (ns, ids) => inOrderOf(ids, sql.these.all({ ns, ids: JSON.stringify(ids) })),
    newest: (ns) => sql.newest.get({ ns })?.number ?? 0,
    arrivals: (ns, after) => sql.arrivals.all({ ns, after }).map(countedOf),
    count: (ns, filter) => {
      const { where, bindings } = selectionOf(filter);
      return listing(where).count.get({ ns, ...bindings })?.number ?? 0;
    },
    find: (ns, seq) => {
      const row = sql.find.get({ ns, seq });
      return row && exchangeOf(row);
    },
    secrets: (ns, seq) => {
      return secretsIn(sql.secrets.get({ ns, seq }));
    },
    flows: (ns, before, limit) => {
      const numbers = sql.flows.all({ ns, before, limit }).map(({ number }) => number);
      const from = numbers.at(-1);
      if (from === undefined) return [];
      return flowsOf(numbers, sql.steps.all({ ns, from, before }));
    },
  };
}
