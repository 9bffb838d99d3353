// Rejections by /api/exams.
import { declareApiRefusals, inRestApi } from '../api-refusal.ts';

interface Problem {
  readonly problem: string;
}

export const examRefusals = declareApiRefusals({
  exam_invalid: {
    ...inRestApi,
    status: 400,
    kind: 'invalid',
    answer: ({ problem }: Problem) => `The exam is not acceptable: ${problem}.`,
    expected: 'A JSON object of client_id or sp, ttl_seconds and moves_clock, one of the first two demanded.',
  },
  exam_not_found: {
    ...inRestApi,
    status: 404,
    kind: 'not_found',
    answer: 'There is no exam of that id: it has ended, or nobody renewed it in time.',
    expected: 'The id of an exam that GET /api/exams lists.',
  },
  exam_running: {
    ...inRestApi,
    status: 409,
    kind: 'exam_running',
    answer: ({ problem }: Problem) => `An exam is running already: ${problem}.`,
    expected: 'One exam of a client at a time, and one that moves the clock of its namespace.',
  },
  exam_limit: {
    ...inRestApi,
    status: 429,
    kind: 'exam_limit',
    headers: { 'Retry-After': '1' },
    answer: '100 exams are running already.',
    expected: 'At most 100 exams at a time.',
  },
});
