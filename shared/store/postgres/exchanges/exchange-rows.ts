// Exchanges in the audit database: written in its transactions, in the order recorded, bounded for each namespace.
// Synchronous steps for inside a transaction; exchange-buffer.ts says when they run.
import * as z from 'zod';
import { surplusEntries } from '#shared/audit/audit-entry.ts';
import { decisions, type KeptExchange, recordedEndpoints, type Said } from '#shared/domain/exchange.ts';
import type { FlowStep } from '#shared/domain/flow.ts';
import type { NamespaceKey } from '../../namespace-id.ts';
import type { ExchangeFilter, ExchangePage, RecorderState } from '../../ports/exchanges.ts';
import { detailsShape, encoded, instantColumn } from '../../records.ts';
import { command, type Query, query, type Runner } from '../statement.ts';
import { type ExchangeWriting, writeBatch } from './write-batch.ts';

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
  secrets: query(
    'SELECT secrets FROM exchanges WHERE namespace = @ns AND seq = @seq',
    z.object({ secrets: encoded(detailsShape).nullable() }),
  ),
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
  clearCounter: command('UPDATE recorders SET kept = 0, bytes = 0, dropped = 0, lost = 0 WHERE namespace = @ns'),
};

export interface ExchangeRows {
  /** Inside a write transaction; whatever belongs to a namespace that has ended is left out. */
  append(on: Runner, ns: NamespaceKey, writings: readonly ExchangeWriting[], lost: number): Promise<void>;
  clear(on: Runner, ns: NamespaceKey): Promise<number>;
  list(on: Runner, ns: NamespaceKey, filter: ExchangeFilter, limit: number): Promise<ExchangePage>;
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
}

interface Listing {
  readonly newest: Query<z.output<typeof exchangeRow>>;
  readonly count: Query<z.output<typeof numberRow>>;
}

export function exchangeRows(): ExchangeRows {
  const lists = new Map<string, Listing>();

  const evict = async (on: Runner, ns: NamespaceKey, entries: number, bytes: number) => {
    await sql.evict.run(on, { ns, surplus: entries });
    await sql.evictKeys.run(on, { ns });
    await sql.count.run(on, { ns, kept: -entries, bytes: -bytes, dropped: entries, lost: 0 });
  };

  const evictSurplus = async (on: Runner, ns: NamespaceKey) => {
    const counter = await sql.counter.get(on, { ns });
    if (counter === undefined) return;
    const size = { entries: counter.kept, bytes: counter.bytes };
    const bounds = { entries: counter.entries_max, bytes: counter.bytes_max };
    if (size.entries <= bounds.entries && size.bytes <= bounds.bytes) return;
    const limit = size.bytes > bounds.bytes ? -1 : size.entries - bounds.entries;
    const sizes = (await sql.oldest.all(on, { ns, limit })).map(({ bytes }) => bytes);
    const surplus = surplusEntries(size, bounds, () => sizes.values());
    if (surplus.entries > 0) await evict(on, ns, surplus.entries, surplus.bytes);
  };

  const listing = (where: string) => {
    const known = lists.get(where);
    if (known !== undefined) return known;
    const made = {
      newest: query(
        `SELECT ${exchangeColumns} FROM exchanges WHERE ${where} AND seq <= @cursor ORDER BY seq DESC LIMIT nullif(@limit::bigint, -1)`,
        exchangeRow,
      ),
      count: query(`SELECT count(*) AS number FROM exchanges WHERE ${where}`, numberRow),
    };
    lists.set(where, made);
    return made;
  };

  return {
    append: async (on, ns, writings, lost) => {
      if ((await sql.counter.get(on, { ns })) === undefined) return;
      const written = await writeBatch(on, ns, writings);
      const { kept, bytes } = written;
      await sql.count.run(on, { ns, kept, bytes, dropped: 0, lost: lost + written.lost });
      if (kept > 0) await evictSurplus(on, ns);
    },
    clear: async (on, ns) => {
      const { kept = 0 } = (await sql.counter.get(on, { ns })) ?? {};
      await sql.clear.run(on, { ns });
      await sql.clearKeys.run(on, { ns });
      await sql.clearCounter.run(on, { ns });
      return kept;
    },
    list: async (on, ns, filter, limit) => {
      const { where, asked } = selectionOf(filter);
      // The cursor first: what is committed between the two statements stands behind it and comes with the next list.
      const cursor = (await sql.newest.get(on, { ns }))?.number ?? 0;
      const rows = await listing(where).newest.all(on, { ns, ...asked, limit, cursor });
      return { exchanges: rows.map(exchangeOf).reverse(), cursor };
    },
    count: async (on, ns, filter) => {
      const { where, asked } = selectionOf(filter);
      return (await listing(where).count.get(on, { ns, ...asked }))?.number ?? 0;
    },
    find: async (on, ns, seq) => {
      const row = await sql.find.get(on, { ns, seq });
      return row && exchangeOf(row);
    },
    secrets: async (on, ns, seq) => {
      const secrets = (await sql.secrets.get(on, { ns, seq }))?.secrets;
      if (secrets === undefined || secrets === null) return undefined;
      return Object.fromEntries(Object.entries(secrets).map(([name, value]) => [name, String(value)]));
    },
    flows: async (on, ns, before, limit) => {
      const numbers = (await sql.flows.all(on, { ns, before, limit })).map(({ number }) => number);
      const from = numbers.at(-1);
      if (from === undefined) return [];
      const ofFlow = new Map<number, FlowStep[]>();
      for (const row of await sql.steps.all(on, { ns, from, before })) {
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
    state: async (on, ns) => {
      const { kept = 0, entries_max = 0, dropped = 0, lost = 0 } = (await sql.counter.get(on, { ns })) ?? {};
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

/** Inside a transaction: the recorder of a namespace with these bounds. */
export async function beginRecorder(
  on: Runner,
  ns: NamespaceKey,
  { entries, bytes }: { readonly entries: number; readonly bytes: number },
): Promise<void> {
  await sql.begin.run(on, { ns, entries_max: entries, bytes_max: bytes });
}
