/**
 * `full`: it has no room for what was to be added; what frees room still works. `replaced`: its files were deleted.
 * `unreachable` and `refused`: its server does not answer, or answers and will not.
 */
export type StoreTrouble = 'busy' | 'full' | 'unusable' | 'replaced' | 'unreachable' | 'refused';

/** What a balancer asks: can the store take what the next request brings? */
export interface StoreCondition {
  /** What stands in the way, part by part; empty: nothing does. Costs a write that changes nothing in each part. */
  troubles(): Promise<readonly PartInTrouble[]>;
}

export interface PartInTrouble {
  readonly part: 'runtime store' | 'audit';
  readonly trouble: StoreTrouble;
}
