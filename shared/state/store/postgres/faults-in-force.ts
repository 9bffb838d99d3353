// The faults of all namespaces that may still fire, as one process knows them. What a fault is never changes; their counts
// are those of when they were first read: whoever fires one asks the database.

import * as z from 'zod';
import type { Fault } from '#shared/model/domain/fault.ts';
import type { NamespaceKey } from '../namespace-id.ts';
import { faultColumns, faultOf, faultRow, faultsByNamespace, type KnownFault } from '../rows/fault.ts';
import { query, type Runner } from './statement.ts';

export interface FaultsInForce {
  /** Reads; what is answered puts it into force. */
  readAgain(on: Runner): Promise<() => void>;
  /** In the order of their creation, some of them past their time. */
  of(ns: NamespaceKey): readonly Fault[];
}

const none: readonly Fault[] = Object.freeze([]);

// One row however many there are: it is read again with each one that comes or goes.
const left = query(
  "SELECT coalesce(json_agg(seq ORDER BY seq), '[]') AS seqs FROM faults WHERE remaining IS NULL OR remaining > 0",
  z.object({ seqs: z.array(z.number()) }),
);
const read = query(
  `SELECT seq, namespace, ${faultColumns} FROM faults WHERE seq = ANY (@seqs::bigint[])`,
  faultRow.extend({ seq: z.number(), namespace: z.string() }),
);

export function faultsInForce(): FaultsInForce {
  let known: ReadonlyMap<number, KnownFault> = new Map();
  let byNamespace: ReadonlyMap<NamespaceKey, readonly Fault[]> = new Map();
  return {
    readAgain: async (on) => {
      const { seqs } = (await left.get(on, {})) ?? { seqs: [] };
      const unknown = seqs.filter((seq) => !known.has(seq));
      const rows = unknown.length === 0 ? [] : await read.all(on, { seqs: `{${unknown.join(',')}}` });
      const added = new Map(rows.map((row) => [row.seq, { namespace: row.namespace, fault: faultOf(row) }]));
      const now = new Map<number, KnownFault>();
      for (const seq of seqs) {
        const found = known.get(seq) ?? added.get(seq);
        if (found !== undefined) now.set(seq, found);
      }
      return () => {
        known = now;
        byNamespace = faultsByNamespace(now.values());
      };
    },
    of: (ns) => byNamespace.get(ns) ?? none,
  };
}
