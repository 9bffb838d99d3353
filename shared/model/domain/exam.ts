// A running exam of a client (EXM-08, EXM-10): its subject, the objects that it created, and when it expires without
// renewal. States: running → ended | expired. An expired exam never becomes active again.
import { type Instant, plusSeconds } from '#shared/base/clock.ts';
import type { ClockState } from './movable-clock.ts';

/** The number of running exams in a namespace. */
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
  /** The runtime user of the exam. The holder of the exam creates the user under this name, if it needs one. */
  readonly username: string;
  /** The namespace's clock before the exam, for an exam that moves it. undefined: it does not move it. */
  readonly clock: ClockState | undefined;
  /** Both are real time. */
  readonly begunAt: Instant;
  readonly heldUntil: Instant;
}

export function isRunning({ heldUntil }: Pick<Exam, 'heldUntil'>, real: Instant): boolean {
  return real < heldUntil;
}

/** A subject has one exam at a time, and one exam at a time may move the clock of a namespace. */
export function conflictsWith(running: Exam, other: Exam): boolean {
  const { subject, clock } = running;
  if (subject.kind === other.subject.kind && subject.name === other.subject.name) return true;
  return clock !== undefined && other.clock !== undefined;
}

export function leaseUntil(real: Instant, seconds: number): Instant {
  return plusSeconds(real, seconds);
}
