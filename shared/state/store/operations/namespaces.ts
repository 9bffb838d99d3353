// The namespaces of a store: each is begun and ended in one write. What is under way in a namespace that ends finishes first, and what
// comes later is rejected (SBX-10, SBX-14).
import { type NamespaceKey, namespaceKey } from '../namespace-id.ts';
import type { NamespacePorts, Namespaces } from '../opened-store.ts';
import type { OperationContext, Step } from './work.ts';

/** The life of namespaces, as each engine begins and ends it. */
export interface NamespaceLife {
  /** Before the write that begins a namespace. `isReset`: a sandbox continues in it, empty. */
  prepare(ns: NamespaceKey, auditEntriesMax: number, isReset: boolean): Promise<void>;
  /** After that write where it began nothing. */
  discard(ns: NamespaceKey): Promise<void>;
  /** Within a write. */
  begin(ns: NamespaceKey, auditEntriesMax: number, isReset: boolean): Step<void>;
  /** Within a write: removes every row. Answers false where it did not live. */
  end(ns: NamespaceKey): Step<boolean>;
  /** Within a write. @throws NamespaceEndedError */
  requireLife(ns: NamespaceKey): Step<void>;
  /** After a write that ended namespaces. */
  finishEnds(): Promise<void>;
  /** From time to time: removes what operations that were cut short left behind. */
  sweep(): Promise<void>;
}

/** `context`: of the default namespace. */
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
