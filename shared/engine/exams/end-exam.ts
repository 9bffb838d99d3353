// Ends an exam, by its holder or because it was abandoned. What it made is deleted first and its record last, so that
// an interrupted end is repeated (EXM-03, EXM-08).

import { moveClock } from '#shared/engine/clock/move-clock.ts';
import type { ProtocolContext } from '#shared/engine/exchange/request.ts';
import { endInvalidSessions } from '#shared/engine/login/end-invalid-sessions.ts';
import type { AuditOrigin } from '#shared/engine/login/end-sessions.ts';
import type { Exam } from '#shared/model/domain/exam.ts';
import { auditMoment, type ClockMove, type ClockState } from '#shared/model/domain/movable-clock.ts';

export type ExamContext = Pick<ProtocolContext, 'store' | 'snapshot' | 'clock' | 'random'>;

/** `ender`: the origin of the end for the audit; empty for an abandoned exam. Returns whether this call ended it. */
export async function endExam(exam: Exam, ender: AuditOrigin, context: ExamContext): Promise<boolean> {
  const { store, clock } = context;
  const { id, username, subject } = exam;
  for (const fault of await store.faults.list()) {
    if (fault.when.username !== username) continue;
    await store.faults.delete(fault.id, ({ fault: name }) => ({
      ...ender,
      ...auditMoment(clock),
      ...{ event_type: 'fault_deleted', status: 'success', details: { name, id: fault.id } },
    }));
  }
  const removal = await store.identities.remove('user', username, {
    ...ender,
    ...auditMoment(clock),
    ...{ event_type: 'runtime_identity_deleted', status: 'success', username },
    details: { kind: 'user', name: username, exam_of: subject.name },
  });
  if (removal === 'removed') await endInvalidSessions(context, username, ender);
  if (exam.clock !== undefined) await moveClock(backTo(exam.clock), ender, context);
  return store.exams.end(id);
}

function backTo({ offsetMilliseconds, frozenAt }: ClockState): ClockMove {
  if (frozenAt !== undefined) return { to: { by: 'instant', at: frozenAt }, frozen: true };
  return { to: { by: 'offset', milliseconds: offsetMilliseconds }, frozen: false };
}
