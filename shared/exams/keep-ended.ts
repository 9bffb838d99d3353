// An exam whose holder died is ended by whichever process looks first (EXM-08).
import type { Clock } from '#shared/clock.ts';
import type { Logger } from '#shared/logger.ts';
import type { RuntimeStore } from '#shared/store/ports/index.ts';
import { type ExamContext, endExam } from './end-exam.ts';

/** What nobody holds any more is there at most so much longer. */
const pauseMilliseconds = 500;

export interface KeepEndedDependencies {
  readonly store: RuntimeStore;
  readonly realClock: Clock;
  readonly log: Logger;
  /** What ending one in that namespace takes; undefined: it is gone. */
  contextOf(namespace: string): Promise<ExamContext | undefined>;
}

/** Answers how to stop; resolves when nothing is under way any more. */
export function keepEnded({ store, realClock, log, contextOf }: KeepEndedDependencies): () => Promise<void> {
  let underWay: Promise<void> | undefined;
  const look = async () => {
    for (const namespace of await store.exams.namespacesWithOver(realClock.now())) {
      const context = await contextOf(namespace);
      if (context === undefined) continue;
      for (const exam of await context.store.exams.over(realClock.now())) await endExam(exam, {}, context);
    }
  };
  const timer = setInterval(() => {
    underWay ??= look()
      .catch((error: unknown) => log.debug({ err: error }, 'exams are ended at the next look'))
      .finally(() => {
        underWay = undefined;
      });
  }, pauseMilliseconds);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await underWay;
  };
}
