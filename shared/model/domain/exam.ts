// An exam of a client that is under way (EXM-08, EXM-10): who is examined, what it made for itself, and until when it holds
// without being renewed. States: under way → ended | over. One that is over never lives again.
import { type Instant, plusSeconds } from '#shared/base/clock.ts';
import type { ClockState } from './movable-clock.ts';

/** So many exams are under way in a namespace at a time. */
export const examsMax = 100;
export const examSecondsMax = 3600;

interface ExamSubject {
  readonly kind: 'client' | 'service_provider';
  /** client_id, or the Issuer of AuthnRequests. */
  readonly name: string;
}

export interface Exam {
  readonly id: string;
  readonly subject: ExamSubject;
  /** The runtime user that is its own; whoever holds the exam makes it under this name, if at all. */
  readonly username: string;
  /** Where the namespace's clock stood before the exam, for one that moves it; undefined: it does not. */
  readonly clock: ClockState | undefined;
  /** Real time, both. */
  readonly begunAt: Instant;
  readonly heldUntil: Instant;
}

export function isUnderWay({ heldUntil }: Pick<Exam, 'heldUntil'>, real: Instant): boolean {
  return real < heldUntil;
}

/** There is one exam at a time of a subject, and one at a time that moves the clock of a namespace. */
export function conflictsWith(running: Exam, wanted: Exam): boolean {
  const { subject, clock } = running;
  if (subject.kind === wanted.subject.kind && subject.name === wanted.subject.name) return true;
  return clock !== undefined && wanted.clock !== undefined;
}

export function heldFrom(real: Instant, seconds: number): Instant {
  return plusSeconds(real, seconds);
}
