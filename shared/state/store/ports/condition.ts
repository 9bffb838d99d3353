/**
 * `full`: the store has no space left to add data, but operations that free space still work. `replaced`: its files
 * were deleted. `unreachable`: its server does not respond. `refused`: its server responds with a rejection.
 */
export type StoreFailure = 'busy' | 'full' | 'unusable' | 'replaced' | 'unreachable' | 'refused';

/** For load balancers: can the store take what the next request writes? */
export interface StoreCondition {
  /** Returns the troubles by part, or an empty list. Costs a write that changes nothing in each part. */
  troubles(): Promise<readonly FailingPart[]>;
}

export interface FailingPart {
  readonly part: 'runtime store' | 'audit';
  readonly trouble: StoreFailure;
}
