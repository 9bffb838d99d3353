// Turns one batch of exchanges into rows. The number of round trips does not grow with the batch: the existing state is
// read first, the flows are computed here, and everything is inserted at once. Runs alone under the lock of its
// recorder.
import * as z from 'zod';
import type { Instant } from '#shared/base/clock.ts';
import { decodedExchange } from '#shared/model/domain/decoded-exchange.ts';
import { type FlowKeys, repeatedWithinMilliseconds, type StoredExchange } from '#shared/model/domain/exchange.ts';
import {
  flowToJoin,
  type JoinedFlow,
  joinedByAddressMilliseconds,
  keysCreatedByExchange,
} from '#shared/model/domain/flow.ts';
import { instantColumn } from '../../json-columns.ts';
import type { NamespaceKey } from '../../namespace-id.ts';
import { columnsOf } from '../../rows/exchange.ts';
import type { ExchangeToWrite } from '../../waiting-exchanges.ts';
import { jsonRows } from '../json-rows.ts';
import { command, query, type Runner, type Writer } from '../statement.ts';

interface WrittenBatch {
  readonly kept: number;
  readonly bytes: number;
}

const columns = {
  seq: 'bigint',
  flow: 'bigint',
  endpoint: 'text',
  at: 'bigint',
  clock: 'bigint',
  duration: 'double precision',
  method: 'text',
  path: 'text',
  status: 'bigint',
  client_id: 'text',
  username: 'text',
  sp: 'text',
  grant_type: 'text',
  decision: 'text',
  reason: 'text',
  refusal: 'text',
  fault: 'text',
  repeated: 'bigint',
  repeat_key: 'text',
  address: 'text',
  request_id: 'text',
  bytes: 'bigint',
  said: 'text',
  secrets: 'text',
} as const;
type Row = ReturnType<typeof columnsOf> & {
  readonly seq: number;
  readonly flow: number | undefined;
  readonly repeated: number;
};

const names = Object.keys(columns).join(', ');
const typed = Object.entries(columns).map(([name, type]) => `${name} ${type}`);
const anyOf = (parameter: string) => `ANY (ARRAY(SELECT json_array_elements_text(${parameter}::json)))`;

const placedRow = z.object({ name: z.string(), number: z.number(), at: instantColumn });

const sql = {
  numbers: query(
    "SELECT nextval(pg_get_serial_sequence('exchanges', 'seq')) AS number FROM generate_series(1, @count::integer)",
    z.object({ number: z.number() }),
  ),
  repeated: query(
    `SELECT DISTINCT ON (repeat_key) repeat_key AS name, seq AS number, at FROM exchanges
     WHERE namespace = @ns AND repeat_key = ${anyOf('@keys')} AND at > @since ORDER BY repeat_key, seq DESC`,
    placedRow,
  ),
  flowsOfKeys: query(
    `SELECT key AS name, flow AS number FROM flow_keys WHERE namespace = @ns AND key = ${anyOf('@keys')}`,
    placedRow.omit({ at: true }),
  ),
  flowsOfAddresses: query(
    `SELECT DISTINCT ON (address) address AS name, seq AS number, at FROM exchanges
     WHERE namespace = @ns AND address = ${anyOf('@addresses')} AND flow IS NULL AND at > @since
     ORDER BY address, seq DESC`,
    placedRow,
  ),
  repeat: command(
    `UPDATE exchanges e SET repeated = repeated + r.times
     FROM json_to_recordset(@rows::json) AS r(number bigint, times bigint) WHERE e.seq = r.number`,
  ),
  insert: command(
    `INSERT INTO exchanges (namespace, ${names}) OVERRIDING SYSTEM VALUE
     SELECT @ns, ${names} FROM json_to_recordset(@rows::json) AS r(${typed.join(', ')})`,
  ),
  insertKeys: command(
    `INSERT INTO flow_keys (namespace, key, flow, exchange)
     SELECT @ns, key, flow, exchange FROM json_to_recordset(@rows::json) AS r(key text, flow bigint, exchange bigint)
     ON CONFLICT DO NOTHING`,
  ),
  absorbKeys: command(
    `UPDATE flow_keys SET flow = @flow WHERE namespace = @ns
     AND exchange IN (SELECT seq FROM exchanges WHERE namespace = @ns AND coalesce(flow, seq) = @other)`,
  ),
  absorb: command('UPDATE exchanges SET flow = @flow WHERE namespace = @ns AND coalesce(flow, seq) = @other'),
};

interface Placed {
  readonly number: number;
  readonly at: Instant;
}

/** Inside a transaction under the lock of the recorder. */
export function writeBatch(
  on: Writer,
  ns: NamespaceKey,
  exchanges: readonly ExchangeToWrite[],
  known: Known,
): WrittenBatch {
  const rows: Omit<Row, 'repeated'>[] = [];
  const keyRows: { readonly key: string; readonly flow: number; readonly exchange: number }[] = [];
  const timesMore = new Map<number, number>();
  const timesOf = new Map<number, number>();
  const absorptions: JoinedFlow['absorbed'][number][] = [];
  for (const { exchange, times } of exchanges) {
    const first = repeatedBy(exchange, known.repeated);
    if (first !== undefined) {
      const counted = timesOf.has(first.number) ? timesOf : timesMore;
      counted.set(first.number, (counted.get(first.number) ?? 0) + times);
      continue;
    }
    const { content, keys } = known.decoded.get(exchange) ?? decodedExchange(exchange);
    const { flow, absorbed } = flowOf(exchange, keys, known);
    for (const absorption of absorbed) {
      absorptions.push(absorption);
      for (const [key, each] of known.byKey) if (each === absorption.other) known.byKey.set(key, absorption.flow);
    }
    const { repeatKey, at, address } = exchange;
    const number = known.numbers[rows.length];
    if (number === undefined) throw new Error('the sequence returned fewer numbers than exchanges');
    rows.push({ seq: number, flow, ...columnsOf(exchange, content) });
    timesOf.set(number, times);
    if (repeatKey !== undefined) known.repeated.set(repeatKey, { number, at });
    if (flow === undefined && address !== undefined) known.byAddress.set(address, { number, at });
    for (const key of [...keys.named, ...keys.made]) {
      keyRows.push({ key, flow: flow ?? number, exchange: number });
      if (!known.byKey.has(key)) known.byKey.set(key, flow ?? number);
    }
  }
  const withTimes: readonly Row[] = rows.map((row) => ({ ...row, repeated: timesOf.get(row.seq) ?? 1 }));
  const more = [...timesMore].map(([number, times]) => ({ number, times }));
  if (more.length > 0) sql.repeat.put(on, { rows: jsonRows(more) });
  if (rows.length > 0) sql.insert.put(on, { ns, rows: jsonRows(withTimes) });
  if (keyRows.length > 0) sql.insertKeys.put(on, { ns, rows: jsonRows(keyRows) });
  // Last, so that exchanges of this batch that joined an absorbed flow move too.
  for (const each of absorptions) for (const absorb of [sql.absorbKeys, sql.absorb]) absorb.put(on, { ns, ...each });
  return { kept: rows.length, bytes: rows.reduce((sum, { bytes }) => sum + bytes, 0) };
}

/** The state that is read before a batch is written. */
export interface Known {
  /** The numbers of the new exchanges, in order. */
  readonly numbers: readonly number[];
  readonly decoded: ReadonlyMap<StoredExchange, ReturnType<typeof decodedExchange>>;
  readonly repeated: Map<string, Placed>;
  readonly byKey: Map<string, number>;
  /** The newest flow of an address. */
  readonly byAddress: Map<string, Placed>;
}

/**
 * Reads the existing state of everything that the batch names: in one round trip, unless some exchanges may be
 * repetitions.
 */
export async function readKnown(on: Runner, ns: NamespaceKey, batch: readonly ExchangeToWrite[]): Promise<Known> {
  const exchanges = batch.map(({ exchange }) => exchange);
  const from = Math.min(...exchanges.map(({ at }) => at));
  const repeatKeys = distinct(exchanges.map(({ repeatKey }) => repeatKey));
  const draw = async () => (exchanges.length === 0 ? [] : sql.numbers.all(on, { count: exchanges.length }));
  const since = from - repeatedWithinMilliseconds;
  const [repeated, drawn] =
    repeatKeys.length === 0
      ? [[], undefined]
      : await Promise.all([sql.repeated.all(on, { ns, keys: jsonRows(repeatKeys), since }), draw()]);
  const first = new Map(repeated.map(placed));
  const others = exchanges.filter((exchange) => repeatedBy(exchange, first) === undefined);
  const decoded = new Map(others.map((exchange) => [exchange, decodedExchange(exchange)]));
  const keysOfBatch = distinct(
    [...decoded].flatMap(([{ fault }, { keys }]) => [...keys.named, ...keysCreatedByExchange({ fault, keys })]),
  );
  const addresses = repeatKeys.length === 0 ? [] : distinct(others.map(({ address }) => address));
  const [numbers, flows, begun] = await Promise.all([
    drawn ?? draw(),
    keysOfBatch.length === 0 ? [] : sql.flowsOfKeys.all(on, { ns, keys: jsonRows(keysOfBatch) }),
    addresses.length === 0
      ? []
      : sql.flowsOfAddresses.all(on, {
          ns,
          addresses: jsonRows(addresses),
          since: from - joinedByAddressMilliseconds,
        }),
  ]);
  return {
    numbers: numbers.map(({ number }) => number),
    decoded,
    repeated: first,
    byKey: new Map(flows.map(({ name, number }) => [name, number])),
    byAddress: new Map(begun.map(placed)),
  };
}

function placed({ name, number, at }: z.output<typeof placedRow>): readonly [string, Placed] {
  return [name, { number, at }];
}

function repeatedBy({ repeatKey, at }: StoredExchange, known: ReadonlyMap<string, Placed>): Placed | undefined {
  const first = repeatKey === undefined ? undefined : known.get(repeatKey);
  return first !== undefined && first.at > at - repeatedWithinMilliseconds ? first : undefined;
}

function flowOf(exchange: StoredExchange, keys: FlowKeys, known: Known): JoinedFlow {
  const flowsOf = (all: readonly string[]) => all.flatMap((key) => known.byKey.get(key) ?? []);
  const made = keysCreatedByExchange({ fault: exchange.fault, keys });
  const joined = flowToJoin(flowsOf(keys.named), flowsOf(made));
  const isRepeatable = exchange.repeatKey !== undefined;
  if (joined.flow !== undefined || !isRepeatable || exchange.address === undefined) return joined;
  const begun = known.byAddress.get(exchange.address);
  const isLately = begun !== undefined && begun.at > exchange.at - joinedByAddressMilliseconds;
  return isLately ? { ...joined, flow: begun.number } : joined;
}

function distinct(texts: readonly (string | undefined)[]): readonly string[] {
  return [...new Set(texts.filter((text) => text !== undefined))];
}
