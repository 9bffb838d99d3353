// Rows of `exchanges` as domain objects, and the queries on them.
import * as z from 'zod';
import { groupByKey } from '#shared/base/group-by-key.ts';
import {
  decisions,
  type ExchangeContent,
  type KeptExchange,
  recordedEndpoints,
  type StoredExchange,
} from '#shared/model/domain/exchange.ts';
import type { FlowStep } from '#shared/model/domain/flow.ts';
import { detailsShape, encoded, instantColumn, orUndefined } from '../json-columns.ts';
import type { CountedExchange, ExchangeFilter } from '../ports/exchanges.ts';

const text = orUndefined(z.string());

export const stepColumns =
  'seq, coalesce(flow, seq) AS flow, endpoint, at, status, client_id, username, sp, grant_type, decision, fault';

export const stepRow = z.object({
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

const contentShape = z.custom<ExchangeContent>(
  (value) => typeof value === 'object' && value !== null && 'decoded' in value,
);
export const exchangeColumns = `${stepColumns}, clock, duration, method, path, reason, refusal, repeated, said`;

export const exchangeRow = stepRow.extend({
  clock: instantColumn,
  duration: z.number(),
  method: z.string(),
  path: z.string(),
  reason: text,
  refusal: text,
  repeated: z.number(),
  said: encoded(contentShape),
});

export const countedRow = stepRow.extend({ repeated: z.number() });

export function countedOf({ seq, client_id, grant_type, ...row }: z.output<typeof countedRow>): CountedExchange {
  const { endpoint, username, status, repeated } = row;
  return { id: seq, endpoint, clientId: client_id, username, status, grantType: grant_type, repeated };
}

export const indexRow = stepRow.pick({ seq: true, at: true });

/** Returns the exchanges in the order of the ids. */
export function inOrderOf(
  ids: readonly number[],
  rows: readonly z.output<typeof exchangeRow>[],
): readonly KeptExchange[] {
  const found = new Map(rows.map((row) => [row.seq, row]));
  return ids.flatMap((id) => {
    const row = found.get(id);
    return row === undefined ? [] : [exchangeOf(row)];
  });
}

/** The columns that come from the exchange itself. `bytes` is its share of the bound (REC-11). */
export function columnsOf(exchange: StoredExchange, content: ExchangeContent) {
  const contentText = JSON.stringify(content);
  const secretsText = exchange.secrets === undefined ? null : JSON.stringify(exchange.secrets);
  return {
    endpoint: exchange.endpoint,
    at: exchange.at,
    clock: exchange.clock,
    duration: exchange.durationMilliseconds,
    method: exchange.method,
    path: exchange.path,
    status: exchange.status,
    client_id: exchange.clientId ?? null,
    username: exchange.username ?? null,
    sp: exchange.sp ?? null,
    grant_type: exchange.grantType ?? null,
    decision: exchange.decision,
    reason: exchange.reason ?? null,
    refusal: exchange.refusal ?? null,
    fault: exchange.fault ?? null,
    repeat_key: exchange.repeatKey ?? null,
    address: exchange.address ?? null,
    request_id: exchange.requestId,
    said: contentText,
    secrets: secretsText,
    bytes: Buffer.byteLength(contentText) + (secretsText === null ? 0 : Buffer.byteLength(secretsText)),
  };
}

/**
 * A key of `flow_keys` that belongs to no flow: it records that exchanges were removed by hand or with a reset. No
 * exchange uses it, and the bound does not evict it. With PostgreSQL its `flow` is the time of a removal by hand.
 */
export const emptied = { key: 'emptied', flow: 0, exchange: Number.MAX_SAFE_INTEGER } as const;

export const secretsRow = z.object({ secrets: encoded(detailsShape).nullable() });

export function secretsIn(row: z.output<typeof secretsRow> | undefined): Readonly<Record<string, string>> | undefined {
  if (row === undefined || row.secrets === null) return undefined;
  return Object.fromEntries(Object.entries(row.secrets).map(([name, value]) => [name, String(value)]));
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

/** Only the conditions of the filter, so that an engine scans no further than it must. */
export function selectionOf(filter: ExchangeFilter) {
  const bindings: Record<string, string | number> = {};
  const where = ['namespace = @ns'];
  for (const [name, condition] of Object.entries(conditions)) {
    const value = filter[name as keyof ExchangeFilter];
    if (value === undefined) continue;
    bindings[name] = value;
    where.push(condition);
  }
  return { where: where.join(' AND '), bindings };
}

/** Returns the steps of each of these flows that has any, in the order of the numbers. */
export function flowsOf(
  numbers: readonly number[],
  rows: readonly z.output<typeof stepRow>[],
): readonly (readonly [FlowStep, ...FlowStep[]])[] {
  const ofFlow = groupByKey(rows.map(stepOf), ({ flow }) => flow);
  return numbers.flatMap((number) => {
    const [first, ...others] = ofFlow.get(number) ?? [];
    return first === undefined ? [] : [[first, ...others] as const];
  });
}

function stepOf({ seq, client_id, grant_type, ...row }: z.output<typeof stepRow>): FlowStep {
  return { id: seq, clientId: client_id, grantType: grant_type, ...row };
}

export function exchangeOf({
  seq,
  client_id,
  grant_type,
  duration,
  said: content,
  ...row
}: z.output<typeof exchangeRow>): KeptExchange {
  return { id: seq, clientId: client_id, grantType: grant_type, durationMilliseconds: duration, content, ...row };
}
