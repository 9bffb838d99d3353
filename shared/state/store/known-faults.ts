// The faults of all namespaces that may still fire, as one process knows them. A fault never changes, so that each is read
// once. When one was added or removed, only the list of their numbers is read again.
import type { Fault } from '#shared/model/domain/fault.ts';
import type { NamespaceKey } from './namespace-id.ts';
import { faultsByNamespace, type KnownFault } from './rows/fault.ts';

const none: readonly Fault[] = Object.freeze([]);

/** Immutable. `seq` is the number of a fault in the store, in the order of their creation. */
export class KnownFaults {
  readonly #bySeq: ReadonlyMap<number, KnownFault>;
  readonly #byNamespace: ReadonlyMap<NamespaceKey, readonly Fault[]>;

  constructor(bySeq: ReadonlyMap<number, KnownFault> = new Map()) {
    this.#bySeq = bySeq;
    this.#byNamespace = faultsByNamespace(bySeq.values());
  }

  /** Which of these faults have to be read from the store. */
  unknown(seqs: readonly number[]): readonly number[] {
    return seqs.filter((seq) => !this.#bySeq.has(seq));
  }

  /** Those of `seqs`, in this order: known before, or `read` just now. */
  next(seqs: readonly number[], read: ReadonlyMap<number, KnownFault>): KnownFaults {
    const next = new Map<number, KnownFault>();
    for (const seq of seqs) {
      const fault = this.#bySeq.get(seq) ?? read.get(seq);
      if (fault !== undefined) next.set(seq, fault);
    }
    return new KnownFaults(next);
  }

  /** In the order of their creation. Some may have expired; their counts are as of when each was read. */
  of(ns: NamespaceKey): readonly Fault[] {
    return this.#byNamespace.get(ns) ?? none;
  }
}
