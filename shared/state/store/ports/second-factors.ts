import type { Instant } from '#shared/base/clock.ts';
import type { PendingSecondFactor, SecondFactorKey } from '#shared/model/domain/pending-second-factor.ts';

export type { SecondFactorKey };

export interface PendingSecondFactors {
  /** Stores a verified password and replaces a record of the same id. `full` while 1000 are live (LOG-21). */
  record(pending: PendingSecondFactor, now: Instant): Promise<'recorded' | 'full'>;
  /** Returns the live record for exactly this browser, surface and purpose (LOG-16). */
  find(key: SecondFactorKey, now: Instant): Promise<PendingSecondFactor | undefined>;
  /** Uses the record up. Of several simultaneous calls exactly one returns true. */
  use(key: SecondFactorKey, now: Instant): Promise<boolean>;
  /** Deletes the record if it is this browser's. */
  discard(key: SecondFactorKey): Promise<void>;
}
