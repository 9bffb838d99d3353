// Exams that are under way in a namespace. Their times are real time.
import type { Instant } from '#shared/base/clock.ts';
import type { Exam } from '#shared/model/domain/exam.ts';

export interface Exams {
  /**
   * Begins an exam. Of any number of simultaneous calls for one subject exactly one answers `begun` (EXM-10); the others answer
   * the exam in their way, or `limit` while 100 are under way.
   */
  begin(exam: Exam, real: Instant): Promise<'begun' | 'limit' | Exam>;
  /** undefined: it has ended, is over, or never was. */
  renew(id: string, real: Instant, until: Instant): Promise<Exam | undefined>;
  /** Finds an exam under way or over, until it has ended. */
  find(id: string): Promise<Exam | undefined>;
  /** The exams under way, in the order in which they began. */
  list(real: Instant): Promise<readonly Exam[]>;
  /** Forgets it, under way or over: of several simultaneous calls one answers true. */
  end(id: string): Promise<boolean>;
  /** The exams that are over and still kept: what they made is to be removed. */
  over(real: Instant): Promise<readonly Exam[]>;
  /** The keys of all namespaces of the store that have such exams. */
  namespacesWithOver(real: Instant): Promise<readonly string[]>;
}
