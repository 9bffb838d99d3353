// How a fault is stored in a row.
import * as z from 'zod';
import { groupByKey } from '#shared/base/group-by-key.ts';
import { everyFaultEndpoint, type Fault, type FaultOrder, orderText } from '#shared/model/domain/fault.ts';
import { detailsShape, encoded, instantColumn } from '../json-columns.ts';
import type { NamespaceKey } from '../namespace-id.ts';

const namedValue = z.object({ name: z.string(), value: z.string().optional() });

const orderShape: z.ZodType<FaultOrder> = z.object({
  fault: z.string(),
  at: z.array(z.enum(everyFaultEndpoint)).readonly(),
  when: z.object({
    client_id: z.string().optional(),
    sp: z.string().optional(),
    username: z.string().optional(),
    grant_type: z.string().optional(),
    scope: z.string().optional(),
    header: namedValue.optional(),
    parameter: namedValue.optional(),
    nth: z.number().optional(),
  }),
  times: z.number().nullable(),
  parameters: detailsShape,
  ttl_seconds: z.number().nullable(),
  quiet: z.boolean(),
});

export const faultRow = z.object({
  id: z.string(),
  origin: z.enum(['runtime', 'declared']),
  entry: encoded(orderShape),
  remaining: z.number().nullable(),
  hits: z.number(),
  fetches: z.number(),
  created_at: instantColumn,
  expires_at: instantColumn.nullable(),
  unknown_key: z.string().nullable(),
});

export const faultColumns = 'id, origin, entry, remaining, hits, fetches, created_at, expires_at, unknown_key';

export function faultOf(row: z.output<typeof faultRow>): Fault {
  const { id, origin, entry, remaining, hits, fetches } = row;
  return {
    ...entry,
    ...{ id, origin, remaining, hits, fetches },
    createdAt: row.created_at,
    expiresAt: row.expires_at ?? undefined,
    unknownKey: row.unknown_key ?? undefined,
  };
}

/** Returns what to add and what to remove to get the wanted faults. A stored fault stays if an equal one is wanted. */
export function differentOrders<Kept extends { readonly entry: FaultOrder }, Wanted extends FaultOrder>(
  kept: readonly Kept[],
  orders: readonly Wanted[],
): { readonly removed: readonly Kept[]; readonly added: readonly Wanted[] } {
  const left = groupByKey(kept, ({ entry }) => orderText(entry));
  const added = orders.filter((order) => left.get(orderText(order))?.shift() === undefined);
  return { removed: [...left.values()].flat(), added };
}

/** A row with its number in the store. */
export const numberedFaultRow = faultRow.extend({ seq: z.number(), namespace: z.string() });

export function knownFaultsOf(rows: readonly z.output<typeof numberedFaultRow>[]): ReadonlyMap<number, KnownFault> {
  return new Map(rows.map((row) => [row.seq, { namespace: row.namespace, fault: faultOf(row) }]));
}

export interface KnownFault {
  readonly namespace: NamespaceKey;
  readonly fault: Fault;
}

export function faultsByNamespace(known: Iterable<KnownFault>): ReadonlyMap<NamespaceKey, readonly Fault[]> {
  const sorted = groupByKey([...known], ({ namespace }) => namespace);
  return new Map([...sorted].map(([ns, faults]) => [ns, faults.map(({ fault }) => fault)]));
}
