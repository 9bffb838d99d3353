// One batch of exchanges becomes rows, in a number of round trips that does not grow with it: what the database knows is read
// first, the flows are found here, and everything is inserted at once. Alone under the lock of its recorder.
import * as z from 'zod';
import type { Instant } from '#shared/base/clock.ts';
import {
  type FlowKeys,
  type NamedText,
  type NewExchange,
  repeatedWithinMilliseconds,
  type Said,
} from '#shared/model/domain/exchange.ts';
import { wholeExchange } from '#shared/model/domain/exchange-alike.ts';
import { flowToJoin, type JoinedFlow, joinedByAddressMilliseconds, keysMadeFirst } from '#shared/model/domain/flow.ts';
import { recordedExchange } from '#shared/model/domain/recorded-exchange.ts';
import { instantColumn } from '../../json-columns.ts';
import type { NamespaceKey } from '../../namespace-id.ts';
import type { ExchangeWriting } from '../../waiting-exchanges.ts';
import { jsonRows } from '../json-rows.ts';
import { command, query, type Runner, type Writer } from '../statement.ts';

interface WrittenBatch {
  readonly kept: number;
  readonly bytes: number;
  readonly lost: number;
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
type Row = Readonly<Record<keyof typeof columns, string | number | undefined>>;

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
  writings: readonly ExchangeWriting[],
  known: Known,
): WrittenBatch {
  const { numbers } = known;
  const rows: Row[] = [];
  const keys: { readonly key: string; readonly flow: number; readonly exchange: number }[] = [];
  const timesMore = new Map<number, number>();
  const timesOf = new Map<number, number>();
  const absorptions: JoinedFlow['absorbed'][number][] = [];
  let [bytes, lost] = [0, 0];
  for (const writing of writings) {
    const { repeatKey, at, times } = writing;
    const first = repeatedBy({ repeatKey, at }, known.repeated);
    if (first !== undefined) {
      const counted = timesOf.has(first.number) ? timesOf : timesMore;
      counted.set(first.number, (counted.get(first.number) ?? 0) + times);
      continue;
    }
    const exchange = known.recorded.get(writing) ?? recorded(writing);
    const number = numbers[rows.length];
    if (exchange === undefined || number === undefined) {
      lost += times;
      continue;
    }
    const { flow, absorbed } = flowOf(exchange, repeatKey !== undefined, known);
    for (const absorption of absorbed) {
      absorptions.push(absorption);
      for (const [key, each] of known.byKey) if (each === absorption.other) known.byKey.set(key, absorption.flow);
    }
    const row = rowOf(number, flow, repeatKey, exchange);
    rows.push(row);
    bytes += Number(row.bytes);
    timesOf.set(number, times);
    if (repeatKey !== undefined) known.repeated.set(repeatKey, { number, at });
    if (flow === undefined && exchange.address !== undefined) {
      known.byAddress.set(exchange.address, { number, at: exchange.at });
    }
    for (const key of [...exchange.keys.named, ...exchange.keys.made]) {
      keys.push({ key, flow: flow ?? number, exchange: number });
      if (!known.byKey.has(key)) known.byKey.set(key, flow ?? number);
    }
  }
  const withTimes = rows.map((row) => ({ ...row, repeated: timesOf.get(Number(row.seq)) ?? 1 }));
  const more = [...timesMore].map(([number, times]) => ({ number, times }));
  if (more.length > 0) sql.repeat.put(on, { rows: jsonRows(more) });
  if (rows.length > 0) sql.insert.put(on, { ns, rows: jsonRows(withTimes) });
  if (keys.length > 0) sql.insertKeys.put(on, { ns, rows: jsonRows(keys) });
  // Last, so that what joined one of them in this very batch goes along.
  for (const each of absorptions) for (const absorb of [sql.absorbKeys, sql.absorb]) absorb.put(on, { ns, ...each });
  return { kept: rows.length, bytes, lost };
}

/** With its tokens read. */
interface Recorded extends Omit<NewExchange, 'headers' | 'said' | 'keys'> {
  readonly said: Said;
  readonly keys: FlowKeys;
}

const namedTexts = z.custom<readonly NamedText[]>(Array.isArray);

/** undefined: it cannot be made, and is lost. */
function recorded(writing: ExchangeWriting): Recorded | undefined {
  const made = writing.shape();
  if (made === undefined) return undefined;
  const { headers, ...exchange } = wholeExchange(made);
  const [request_headers, response_headers] = [headers.request, headers.response].map((text) =>
    namedTexts.parse(JSON.parse(text)),
  );
  if (request_headers === undefined || response_headers === undefined) return undefined;
  return { ...exchange, ...recordedExchange({ exchange, request_headers, response_headers }) };
}

/** What is read before a batch is written. */
export interface Known {
  /** For new exchanges, in their order. */
  readonly numbers: readonly number[];
  readonly recorded: ReadonlyMap<ExchangeWriting, Recorded>;
  readonly repeated: Map<string, Placed>;
  readonly byKey: Map<string, number>;
  /** The flow begun last by an address. */
  readonly byAddress: Map<string, Placed>;
}

/** What the database knows of all that the batch names: asked at once, unless some may be repetitions. */
export async function readKnown(on: Runner, ns: NamespaceKey, writings: readonly ExchangeWriting[]): Promise<Known> {
  const from = Math.min(...writings.map(({ at }) => at));
  const repeatKeys = distinct(writings.map(({ repeatKey }) => repeatKey));
  const draw = async () => (writings.length === 0 ? [] : sql.numbers.all(on, { count: writings.length }));
  const since = from - repeatedWithinMilliseconds;
  const [repeated, drawn] =
    repeatKeys.length === 0
      ? [[], undefined]
      : await Promise.all([sql.repeated.all(on, { ns, keys: jsonRows(repeatKeys), since }), draw()]);
  const first = new Map(repeated.map(placed));
  const others = writings.filter((writing) => repeatedBy(writing, first) === undefined);
  const recordedOf = new Map<ExchangeWriting, Recorded>();
  for (const writing of others) {
    const exchange = recorded(writing);
    if (exchange !== undefined) recordedOf.set(writing, exchange);
  }
  const shaped = [...recordedOf.values()];
  const asked = distinct(shaped.flatMap((exchange) => [...exchange.keys.named, ...keysMadeFirst(exchange)]));
  const addresses = repeatKeys.length === 0 ? [] : distinct(shaped.map(({ address }) => address));
  const begunSince = Math.min(from, ...shaped.map(({ at }) => at)) - joinedByAddressMilliseconds;
  const [numbers, flows, begun] = await Promise.all([
    drawn ?? draw(),
    asked.length === 0 ? [] : sql.flowsOfKeys.all(on, { ns, keys: jsonRows(asked) }),
    addresses.length === 0
      ? []
      : sql.flowsOfAddresses.all(on, { ns, addresses: jsonRows(addresses), since: begunSince }),
  ]);
  return {
    numbers: numbers.map(({ number }) => number),
    recorded: recordedOf,
    repeated: first,
    byKey: new Map(flows.map(({ name, number }) => [name, number])),
    byAddress: new Map(begun.map(placed)),
  };
}

function placed({ name, number, at }: z.output<typeof placedRow>): readonly [string, Placed] {
  return [name, { number, at }];
}

function repeatedBy(
  { repeatKey, at }: Pick<ExchangeWriting, 'repeatKey' | 'at'>,
  known: ReadonlyMap<string, Placed>,
): Placed | undefined {
  const first = repeatKey === undefined ? undefined : known.get(repeatKey);
  return first !== undefined && first.at > at - repeatedWithinMilliseconds ? first : undefined;
}

function flowOf(exchange: Recorded, isRepeatable: boolean, known: Known): JoinedFlow {
  const flowsOf = (keys: readonly string[]) => keys.flatMap((key) => known.byKey.get(key) ?? []);
  const joined = flowToJoin(flowsOf(exchange.keys.named), flowsOf(keysMadeFirst(exchange)));
  if (joined.flow !== undefined || !isRepeatable || exchange.address === undefined) return joined;
  const begun = known.byAddress.get(exchange.address);
  const isLately = begun !== undefined && begun.at > exchange.at - joinedByAddressMilliseconds;
  return isLately ? { ...joined, flow: begun.number } : joined;
}

function rowOf(seq: number, flow: number | undefined, repeat_key: string | undefined, exchange: Recorded): Row {
  const { said, secrets, clientId, grantType, durationMilliseconds, requestId } = exchange;
  const saidText = JSON.stringify(said);
  const secretsText = secrets === undefined ? undefined : JSON.stringify(secrets);
  return {
    ...{ seq, flow, repeat_key, said: saidText, secrets: secretsText, repeated: undefined },
    bytes: Buffer.byteLength(saidText) + (secretsText === undefined ? 0 : Buffer.byteLength(secretsText)),
    endpoint: exchange.endpoint,
    at: exchange.at,
    clock: exchange.clock,
    duration: durationMilliseconds,
    method: exchange.method,
    path: exchange.path,
    status: exchange.status,
    client_id: clientId,
    username: exchange.username,
    sp: exchange.sp,
    grant_type: grantType,
    decision: exchange.decision,
    reason: exchange.reason,
    refusal: exchange.refusal,
    fault: exchange.fault,
    address: exchange.address,
    request_id: requestId,
  };
}

function distinct(texts: readonly (string | undefined)[]): readonly string[] {
  return [...new Set(texts.filter((text) => text !== undefined))];
}
