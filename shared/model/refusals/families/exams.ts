// Rejections by /api/exams.
import { declareApiRefusals, inRestApi } from '../api-refusal.ts';
import { invalid, notFound } from '../wordings.ts';

interface Problem {
  readonly problem: string;
}

export const examRefusals = declareApiRefusals({
  exam_invalid: {
    ...inRestApi,
    status: 400,
    kind: 'invalid',
    answer: ({ problem }: Problem) => invalid('exam', problem),
    expected: 'A JSON object with client_id or sp, and optionally ttl_seconds and moves_clock.',
  },
  exam_not_found: {
    ...inRestApi,
    status: 404,
    kind: 'not_found',
    answer: `${notFound('exam')} It has ended, or was not renewed in time.`,
    expected: 'The id of an exam that GET /api/exams lists.',
  },
  exam_running: {
    ...inRestApi,
    status: 409,
    kind: 'exam_running',
    answer: ({ problem }: Problem) => `An exam is already running: ${problem}.`,
    expected:
      'At most one running exam per client, and at most one that moves the clock. Each sandbox counts separately.',
  },
  exam_limit: {
    ...inRestApi,
    status: 429,
    kind: 'exam_limit',
    headers: { 'Retry-After': '1' },
    answer: '100 exams are already running. Wait until one of them ends.',
    expected: 'At most 100 exams at a time.',
  },
});
