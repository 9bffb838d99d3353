import type { Instant } from '#shared/base/clock.ts';
import type { PendingSecondFactor, SecondFactorKey } from '#shared/model/domain/pending-second-factor.ts';

export type { SecondFactorKey };

export interface PendingSecondFactors {
  /** Records a verified password, replacing a record of the same id; `full` while 1000 are live (LOG-21). */
  record(pending: PendingSecondFactor, now: Instant): Promise<'recorded' | 'full'>;
  /** The live record for exactly this browser, surface and purpose (LOG-16). */
  find(key: SecondFactorKey, now: Instant): Promise<PendingSecondFactor | undefined>;
  /** Uses the record up; of several simultaneous calls exactly one answers true. */
  use(key: SecondFactorKey, now: Instant): Promise<boolean>;
  /** Removes the record, if it is this browser's. */
  discard(key: SecondFactorKey): Promise<void>;
}
