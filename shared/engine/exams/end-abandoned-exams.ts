// Ends an exam whose holder died. The first process that finds it ends it (EXM-08).
import { type DueDependencies, runDueWork } from '#shared/state/store/due-work.ts';
import { type ExamContext, endExam } from './end-exam.ts';

/** Returns a function that stops it and resolves when no end is running. */
export function keepEndingAbandonedExams(deps: DueDependencies<ExamContext>): () => Promise<void> {
  const { store, realClock } = deps;
  const endThose = async (context: ExamContext) => {
    for (const exam of await context.store.exams.expired(realClock.now())) await endExam(exam, {}, context);
  };
  const namespaces = () => store.exams.namespacesWithOver(realClock.now());
  return runDueWork(deps, namespaces, endThose, 'abandoned exams are ended at the next check');
}
