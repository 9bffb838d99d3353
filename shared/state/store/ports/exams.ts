// Active exams of a namespace. Their times are real time.
import type { Instant } from '#shared/base/clock.ts';
import type { Exam } from '#shared/model/domain/exam.ts';

export interface Exams {
  /**
   * Begins an exam. Of any number of simultaneous calls for one subject exactly one returns `begun` (EXM-10). The other
   * calls return the conflicting exam, or `limit` while 100 are active.
   */
  begin(exam: Exam, real: Instant): Promise<'begun' | 'limit' | Exam>;
  /** undefined: the exam has ended, has expired or never existed. */
  renew(id: string, real: Instant, until: Instant): Promise<Exam | undefined>;
  /** Returns an active or expired exam until it has ended. */
  find(id: string): Promise<Exam | undefined>;
  /** Returns the active exams in order of creation. */
  list(real: Instant): Promise<readonly Exam[]>;
  /** Deletes an active or expired exam. Of several simultaneous calls exactly one returns true. */
  end(id: string): Promise<boolean>;
  /** Returns the expired exams that are still stored. The caller removes what they created. */
  expired(real: Instant): Promise<readonly Exam[]>;
  /** Returns the keys of all namespaces of the store that have expired exams. */
  namespacesWithOver(real: Instant): Promise<readonly string[]>;
}
