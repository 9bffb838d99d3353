// The faults of all namespaces that may still fire, as one process caches them. A fault never changes, so each is read
// once. After an addition or removal only the list of their numbers is read again.
import type { Fault } from '#shared/model/domain/fault.ts';
import type { NamespaceKey } from './namespace-id.ts';
import { faultsByNamespace, type KnownFault } from './rows/fault.ts';

const none: readonly Fault[] = Object.freeze([]);

/** Immutable. `seq` is the number of a fault in the store, in order of creation. */
export class KnownFaults {
  readonly #bySeq: ReadonlyMap<number, KnownFault>;
  readonly #byNamespace: ReadonlyMap<NamespaceKey, readonly Fault[]>;

  constructor(bySeq: ReadonlyMap<number, KnownFault> = new Map()) {
    this.#bySeq = bySeq;
    this.#byNamespace = faultsByNamespace(bySeq.values());
  }

  /** Returns which of these faults have to be read from the store. */
  unknown(seqs: readonly number[]): readonly number[] {
    return seqs.filter((seq) => !this.#bySeq.has(seq));
  }

  /** Returns the faults of `seqs`, in this order: cached before, or just `read`. */
  next(seqs: readonly number[], read: ReadonlyMap<number, KnownFault>): KnownFaults {
    const next = new Map<number, KnownFault>();
    for (const seq of seqs) {
      const fault = this.#bySeq.get(seq) ?? read.get(seq);
      if (fault !== undefined) next.set(seq, fault);
    }
    return new KnownFaults(next);
  }

  /** Returns the faults in order of creation. Some may have expired. Their counts are as of when each was read. */
  of(ns: NamespaceKey): readonly Fault[] {
    return this.#byNamespace.get(ns) ?? none;
  }
}
