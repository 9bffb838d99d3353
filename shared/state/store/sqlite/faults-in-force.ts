// The faults of all namespaces that may still fire, as one process knows them. What a fault is never changes, so each is
// read once; when some came or went only their ids are asked for.
import * as z from 'zod';
import type { Fault } from '#shared/model/domain/fault.ts';
import { encoded } from '../json-columns.ts';
import type { NamespaceKey } from '../namespace-id.ts';
import { faultColumns, faultOf, faultRow, faultsByNamespace, type KnownFault } from '../rows/fault.ts';
import type { StoreDatabase } from './database.ts';

export interface FaultsInForce {
  /** Inside a read or write. */
  readAgain(): void;
  /** In the order of their creation, some of them past their time; their counts are those of when they were first seen. */
  of(ns: NamespaceKey): readonly Fault[];
}

const none: readonly Fault[] = Object.freeze([]);

export function faultsInForce(database: Pick<StoreDatabase, 'query'>): FaultsInForce {
  // One row however many there are: it is read again with each one that comes or goes.
  const left = database.query(
    'SELECT json_group_array(seq) AS seqs FROM faults WHERE remaining IS NULL OR remaining > 0',
    z.object({ seqs: encoded(z.array(z.number())) }),
  );
  const one = database.query(
    `SELECT namespace, ${faultColumns} FROM faults WHERE seq = @seq`,
    faultRow.extend({ namespace: z.string() }),
  );
  let known = new Map<number, KnownFault>();
  let byNamespace: ReadonlyMap<NamespaceKey, readonly Fault[]> = new Map();
  const read = (seq: number) => {
    const row = one.get({ seq });
    return row && { namespace: row.namespace, fault: faultOf(row) };
  };

  return {
    readAgain: () => {
      const still = new Map<number, KnownFault>();
      for (const seq of left.get({})?.seqs.toSorted((seq, other) => seq - other) ?? []) {
        const found = known.get(seq) ?? read(seq);
        if (found !== undefined) still.set(seq, found);
      }
      known = still;
      byNamespace = faultsByNamespace(still.values());
    },
    of: (ns) => byNamespace.get(ns) ?? none,
  };
}
