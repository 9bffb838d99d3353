// One clause of the contract as data. `pending`: not built or not proved yet. The gate rejects a pending row that a
// test cites, and lists the pending ones.
export interface Requirement {
  readonly id: string;
  /** The requirement of the clause, in one sentence of our own. */
  readonly says: string;
  readonly pending?: true;
}
