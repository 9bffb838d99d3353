// The faults of all namespaces that may still fire, as one process knows them. What a fault is never changes, so each is
// read once; when some came or went only their ids are asked for.
import * as z from 'zod';
import type { Fault } from '#shared/domain/fault.ts';
import type { NamespaceKey } from '../namespace-id.ts';
import { faultColumns, faultOf, faultRow } from '../rows/fault.ts';
import type { StoreDatabase } from './database.ts';

export interface FaultsInForce {
  /** Inside a read or write. */
  readAgain(): void;
  /** In the order of their creation, some of them past their time; their counts are those of when they were first seen. */
  of(ns: NamespaceKey): readonly Fault[];
}

const none: readonly Fault[] = Object.freeze([]);
const idRow = z.object({ namespace: z.string(), seq: z.number() });

export function faultsInForce(database: StoreDatabase): FaultsInForce {
  const left = database.query(
    'SELECT namespace, seq FROM faults WHERE remaining IS NULL OR remaining > 0 ORDER BY seq',
    idRow,
  );
  const one = database.query(`SELECT ${faultColumns} FROM faults WHERE seq = @seq`, faultRow);
  let known = new Map<number, Fault>();
  let byNamespace: ReadonlyMap<NamespaceKey, readonly Fault[]> = new Map();

  return {
    readAgain: () => {
      const still = new Map<number, Fault>();
      const sorted = new Map<NamespaceKey, Fault[]>();
      for (const { namespace, seq } of left.all({})) {
        const row = known.has(seq) ? undefined : one.get({ seq });
        const fault = known.get(seq) ?? (row && faultOf(row));
        if (fault === undefined) continue;
        still.set(seq, fault);
        const others = sorted.get(namespace);
        if (others === undefined) sorted.set(namespace, [fault]);
        else others.push(fault);
      }
      known = still;
      byNamespace = sorted;
    },
    of: (ns) => byNamespace.get(ns) ?? none,
  };
}
