// Exchanges in the audit database as they are read: joined into flows, counted where they repeat, bounded for each
// namespace. They come out of the log (exchange-log.ts) in the order put down. Synchronous steps for inside a transaction.
import * as z from 'zod';
import { surplusEntries } from '#shared/audit/audit-entry.ts';
import {
  decisions,
  type KeptExchange,
  recordedEndpoints,
  repeatedWithinMilliseconds,
  type Said,
} from '#shared/domain/exchange.ts';
import { type FlowStep, flowToJoin, joinedByAddressMilliseconds } from '#shared/domain/flow.ts';
import { type ExchangePutDown, recordedExchange } from '#shared/domain/recorded-exchange.ts';
import type { NamespaceKey } from '../../namespace-id.ts';
import type { ExchangeFilter, ExchangePage, ExchangeToKeep, RecorderState } from '../../ports/exchanges.ts';
import { detailsShape, encoded, instantColumn } from '../../records.ts';
import type { Query, Statements } from '../database.ts';

const orUndefined = <Shape extends z.ZodType>(shape: Shape) =>
  shape.nullable().transform((value) => value ?? undefined);
const text = orUndefined(z.string());

const stepColumns =
  'seq, coalesce(flow, seq) AS flow, endpoint, at, status, client_id, username, sp, grant_type, decision, fault';
const stepRow = z.object({
  seq: z.number(),
  flow: z.number(),
  endpoint: z.enum(recordedEndpoints),
  at: instantColumn,
  status: z.number(),
  client_id: text,
  username: text,
  sp: text,
  grant_type: text,
  decision: z.enum(decisions),
  fault: text,
});

const saidShape = z.custom<Said>((value) => typeof value === 'object' && value !== null && 'decoded' in value);
const exchangeColumns = `${stepColumns}, clock, duration, method, path, reason, refusal, repeated, said`;
const exchangeRow = stepRow.extend({
  clock: instantColumn,
  duration: z.number(),
  method: z.string(),
  path: z.string(),
  reason: text,
  refusal: text,
  repeated: z.number(),
  said: encoded(saidShape),
});

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
  // Tables without row numbers leave the last one as it is: that of the exchange.
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
  find: sql.query(`SELECT ${exchangeColumns} FROM exchanges WHERE namespace = @ns AND seq = @seq`, exchangeRow),
  secrets: sql.query(
    'SELECT secrets FROM exchanges WHERE namespace = @ns AND seq = @seq',
    z.object({ secrets: encoded(detailsShape).nullable() }),
  ),
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
  begin: sql.command(
    'INSERT OR IGNORE INTO recorders (namespace, entries_max, bytes_max) VALUES (@ns, @entries_max, @bytes_max)',
  ),
  clear: sql.command('DELETE FROM exchanges WHERE namespace = @ns'),
  clearKeys: sql.command('DELETE FROM flow_keys WHERE namespace = @ns'),
  clearCounter: sql.command('UPDATE recorders SET kept = 0, bytes = 0, dropped = 0, lost = 0 WHERE namespace = @ns'),
  end: sql.command('DELETE FROM recorders WHERE namespace = @ns'),
  endWaits: sql.command('DELETE FROM exchange_waits WHERE namespace = @ns'),
});

/** What was put down of one exchange, and of those that repeated it on its way. */
export interface RecordedExchange extends ExchangePutDown {
  readonly repeatKey?: string | undefined;
  readonly at: ExchangeToKeep['at'];
  readonly times: number;
}

export interface ExchangeRows {
  begin(ns: NamespaceKey, bounds: { readonly entries: number; readonly bytes: number }): void;
  end(ns: NamespaceKey): void;
  /** Inside a write transaction; whatever belongs to a namespace that has ended is left out. */
  append(ns: NamespaceKey, exchanges: readonly RecordedExchange[]): void;
  clear(ns: NamespaceKey): number;
  /** Lets some of the oldest of the largest recorder go; false: there is nothing to let go. */
  shrink(): boolean;
  list(ns: NamespaceKey, filter: ExchangeFilter, limit: number): ExchangePage;
  count(ns: NamespaceKey, filter: ExchangeFilter): number;
  find(ns: NamespaceKey, seq: number): KeptExchange | undefined;
  secrets(ns: NamespaceKey, seq: number): Readonly<Record<string, string>> | undefined;
  flows(ns: NamespaceKey, before: number, limit: number): readonly (readonly [FlowStep, ...FlowStep[]])[];
  state(ns: NamespaceKey): RecorderState;
}

interface Listing {
  readonly newest: Query<z.output<typeof exchangeRow>>;
  readonly count: Query<z.output<typeof numberRow>>;
}

export function exchangeRows(
  database: { prepared<Made>(make: (sql: Statements) => Made): Made } & Statements,
): ExchangeRows {
  const sql = database.prepared(statements);
  const lists = new Map<string, Listing>();

  const flowOf = (
    ns: NamespaceKey,
    exchange: ExchangePutDown['exchange'],
    named: readonly string[],
    isRepeatable: boolean,
  ) => {
    const known = named.flatMap((key) => sql.flowOfKey.get({ ns, key })?.number ?? []);
    const joined = flowToJoin(known);
    if (joined !== undefined || !isRepeatable || exchange.address === undefined) return joined;
    const since = exchange.at - joinedByAddressMilliseconds;
    return sql.flowOfAddress.get({ ns, address: exchange.address, since })?.number;
  };

  /** How many bytes it takes; undefined: it only repeats another one. */
  const write = (ns: NamespaceKey, recorded: RecordedExchange): number | undefined => {
    const { repeatKey, at, times, exchange } = recorded;
    if (repeatKey !== undefined) {
      const first = sql.repetition.get({ ns, key: repeatKey, since: at - repeatedWithinMilliseconds });
      if (first !== undefined) {
        sql.repeat.run({ seq: first.number, times });
        return undefined;
      }
    }
    const { secrets, durationMilliseconds, clientId, grantType, ...facts } = exchange;
    const { said, keys } = recordedExchange(recorded);
    const flow = flowOf(ns, exchange, keys.named, repeatKey !== undefined) ?? null;
    const [saidText, secretsText] = [JSON.stringify(said), secrets === undefined ? null : JSON.stringify(secrets)];
    const bytes = Buffer.byteLength(saidText) + (secretsText === null ? 0 : Buffer.byteLength(secretsText));
    sql.insert.run({
      ns,
      flow,
      endpoint: facts.endpoint,
      at: facts.at,
      clock: facts.clock,
      duration: durationMilliseconds,
      method: facts.method,
      path: facts.path,
      status: facts.status,
      client_id: clientId ?? null,
      username: facts.username ?? null,
      sp: facts.sp ?? null,
      grant_type: grantType ?? null,
      decision: facts.decision,
      reason: facts.reason ?? null,
      refusal: facts.refusal ?? null,
      fault: facts.fault ?? null,
      repeated: times,
      repeat_key: repeatKey ?? null,
      address: facts.address ?? null,
      request_id: facts.requestId,
      said: saidText,
      secrets: secretsText,
      bytes,
    });
    for (const key of keys.named) sql.insertKey.run({ ns, key, flow });
    for (const key of keys.made) sql.insertKey.run({ ns, key, flow });
    return bytes;
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

  const evictSurplus = (ns: NamespaceKey) => {
    const counter = sql.counter.get({ ns });
    if (counter === undefined) return;
    const size = { entries: counter.kept, bytes: counter.bytes };
    const bounds = { entries: counter.entries_max, bytes: counter.bytes_max };
    const surplus = surplusEntries(size, bounds, () => oldestSizes(ns));
    if (surplus.entries > 0) evict(ns, surplus.entries, surplus.bytes);
  };

  const listing = (where: string) => {
    const known = lists.get(where);
    if (known !== undefined) return known;
    const made = {
      newest: database.query(
        `SELECT ${exchangeColumns} FROM exchanges WHERE ${where} ORDER BY seq DESC LIMIT @limit`,
        exchangeRow,
      ),
      count: database.query(`SELECT count(*) AS number FROM exchanges WHERE ${where}`, numberRow),
    };
    lists.set(where, made);
    return made;
  };

  return {
    begin: (ns, { entries, bytes }) => {
      sql.begin.run({ ns, entries_max: entries, bytes_max: bytes });
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
      sql.clear.run({ ns });
      sql.clearKeys.run({ ns });
      sql.clearCounter.run({ ns });
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
    list: (ns, filter, limit) => {
      const { where, asked } = selectionOf(filter);
      const rows = listing(where).newest.all({ ns, ...asked, limit });
      return { exchanges: rows.map(exchangeOf).reverse(), cursor: sql.newest.get({ ns })?.number ?? 0 };
    },
    count: (ns, filter) => {
      const { where, asked } = selectionOf(filter);
      return listing(where).count.get({ ns, ...asked })?.number ?? 0;
    },
    find: (ns, seq) => {
      const row = sql.find.get({ ns, seq });
      return row && exchangeOf(row);
    },
    secrets: (ns, seq) => {
      const secrets = sql.secrets.get({ ns, seq })?.secrets;
      if (secrets === undefined || secrets === null) return undefined;
      return Object.fromEntries(Object.entries(secrets).map(([name, value]) => [name, String(value)]));
    },
    flows: (ns, before, limit) => {
      const numbers = sql.flows.all({ ns, before, limit }).map(({ number }) => number);
      const from = numbers.at(-1);
      if (from === undefined) return [];
      const ofFlow = new Map<number, FlowStep[]>();
      for (const row of sql.steps.all({ ns, from, before })) {
        const step = stepOf(row);
        const known = ofFlow.get(step.flow);
        if (known === undefined) ofFlow.set(step.flow, [step]);
        else known.push(step);
      }
      return numbers.flatMap((number) => {
        const [first, ...others] = ofFlow.get(number) ?? [];
        return first === undefined ? [] : [[first, ...others] as const];
      });
    },
    state: (ns) => {
      const { kept = 0, entries_max = 0, dropped = 0, lost = 0 } = sql.counter.get({ ns }) ?? {};
      return { kept, bound: entries_max, dropped, lost };
    },
  };
}

const conditions = {
  endpoint: 'endpoint = @endpoint',
  clientId: 'client_id = @clientId',
  username: 'username = @username',
  status: 'status = @status',
  grantType: 'grant_type = @grantType',
  flow: 'coalesce(flow, seq) = @flow',
  requestId: 'request_id = @requestId',
  after: 'seq > @after',
  upTo: 'seq <= @upTo',
} as const satisfies Record<keyof ExchangeFilter, string>;

/** The conditions that are asked for alone, so that SQLite walks no further than it has to. */
function selectionOf(filter: ExchangeFilter) {
  const asked: Record<string, string | number> = {};
  const where = ['namespace = @ns'];
  for (const [name, condition] of Object.entries(conditions)) {
    const value = filter[name as keyof ExchangeFilter];
    if (value === undefined) continue;
    asked[name] = value;
    where.push(condition);
  }
  return { where: where.join(' AND '), asked };
}

function stepOf({ seq, client_id, grant_type, ...row }: z.output<typeof stepRow>): FlowStep {
  return { id: seq, clientId: client_id, grantType: grant_type, ...row };
}

function exchangeOf({ seq, client_id, grant_type, duration, ...row }: z.output<typeof exchangeRow>): KeptExchange {
  return { id: seq, clientId: client_id, grantType: grant_type, durationMilliseconds: duration, ...row };
}
