// The namespaces of a store: each begins and ends in one write. Running operations of an ending namespace finish first,
// and later ones are rejected (SBX-10, SBX-14).
import { type NamespaceKey, namespaceKey } from '../namespace-id.ts';
import type { NamespacePorts, Namespaces } from '../opened-store.ts';
import type { OperationContext, Step } from './work.ts';

/** How each engine begins and ends namespaces. */
export interface NamespaceLife {
  /** Runs before the write that begins a namespace. `isReset`: a sandbox continues in it, empty. */
  prepare(ns: NamespaceKey, auditEntriesMax: number, isReset: boolean): Promise<void>;
  /** Runs after that write when it began nothing. */
  discard(ns: NamespaceKey): Promise<void>;
  /** Within a write. */
  begin(ns: NamespaceKey, auditEntriesMax: number, isReset: boolean): Step<void>;
  /** Within a write: deletes every row. Returns false if the namespace was not live. */
  end(ns: NamespaceKey): Step<boolean>;
  /** Within a write. @throws NamespaceEndedError */
  requireLife(ns: NamespaceKey): Step<void>;
  /** Runs after a write that ended namespaces. */
  finishEnds(): Promise<void>;
  /** Runs periodically: deletes the leftovers of interrupted operations. */
  sweep(): Promise<void>;
}

/** `context`: that of the default namespace. */
export function namespaces(
  { write, release }: OperationContext,
  life: NamespaceLife,
  portsOf: (ns: NamespaceKey) => NamespacePorts,
): Namespaces {
  return {
    begin: async (id, { auditEntriesMax }) => {
      const ns = namespaceKey(id);
      await life.prepare(ns, auditEntriesMax, false);
      await write([], () => life.begin(ns, auditEntriesMax, false));
    },
    of: (id) => portsOf(namespaceKey(id)),
    end: async (ids) => {
      const ended = await release([], function* () {
        let count = 0;
        for (const ns of ids.map(namespaceKey).toSorted()) if (yield* life.end(ns)) count += 1;
        return count;
      });
      await life.finishEnds();
      return ended;
    },
  };
}
